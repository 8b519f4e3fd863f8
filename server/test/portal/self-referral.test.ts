/** Protects the company from affiliates who buy through their own links: such a referral needs review. */
import { expect, it } from 'vitest'
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
