/** Protects the company from affiliates who buy through their own links, and from one person with several accounts. */
import { expect, it } from 'vitest'
import { findSignalsOf } from '../../src/insight/signals/find-signals.ts'
import { mintMagicLink } from '../../src/programme/magic-links/mint-magic-link.ts'
import { unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { approvedAffiliate, convert, openCampaign } from '../ledger/scene.ts'
import { PortalBrowser } from './affiliate.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })

it('a click from where the affiliate signs in is looked at twice, and one from elsewhere is not', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id, {
    destination_url: 'https://shop.example',
  })
  const { id, token } = await approvedAffiliate(scene, campaign.id)
  const jane = await PortalBrowser.signIn(scene, id)
  const convertFrom = async (browser: PortalBrowser) => {
    const { headers } = await browser.get(`/r/${scene.account.slug}/${token}`)
    const clickId = new URL(headers.get('location') as string).searchParams.get('click_id')
    const { body } = await convert(scene.api, {
      campaign_id: campaign.id,
      customer_ref: unique('customer'),
      click_id: Number(clickId),
    })
    return [body.referral.status, body.attribution.review]
  }
  expect(await convertFrom(jane)).toEqual([
    'pending_review',
    ['self-referral: the click came from an address that the affiliate signs in from'],
  ])
  const customer = new PortalBrowser(scene.app, scene.account.slug)
  expect(await convertFrom(customer)).toEqual(['approved', []])
})

it('affiliates who sign in through one IPv6 line share a network', async () => {
  const { id: campaignId } = await openCampaign(scene.database, scene.account.id)
  const signInFrom = async (address: string) => {
    const { id } = await approvedAffiliate(scene, campaignId)
    const { url } = await mintMagicLink(scene.app.services, scene.account.id, id)
    const browser = new PortalBrowser(scene.app, scene.account.slug)
    const { status } = await browser.send('POST', new URL(url).pathname, { 'x-forwarded-for': address })
    expect(status).toBe(303)
    return id
  }
  const ids = []
  for (const address of ['2600:1:2:3::1', '2600:1:2:3:ffff::2', '2600:1:2:3:9::3', '2600:1:2:4::1'])
    ids.push(await signInFrom(address))
  await findSignalsOf(scene.database.db, scene.account.id)
  const { rows } = await scene.database.owner.query(
    `SELECT affiliate_id::integer AS id FROM signals WHERE account_id = $1 AND kind = 'shared_network' ORDER BY 1`,
    [scene.account.id],
  )
  expect(rows.map(({ id }) => id)).toEqual(ids.slice(0, 3))
})
