/** Protects what affiliates see of each link: its own clicks and conversions, counted as on the home page, and no one else's. */
import { expect, it } from 'vitest'
import { unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { approvedAffiliate, buildClick, convert, openCampaign } from '../ledger/scene.ts'
import { PortalBrowser } from './affiliate.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })

it('counts the clicks and conversions of each link on its own', async () => {
  const campaigns = [
    await openCampaign(scene.database, scene.account.id),
    await openCampaign(scene.database, scene.account.id),
  ] as const
  const [first, second] = campaigns
  const jane = await approvedAffiliate(scene, first.id)
  await scene.api.post('/affiliates', { email: jane.email, campaign_id: second.id })
  const other = await approvedAffiliate(scene, first.id)
  const of = (campaignId: number, affiliateId = jane.id) => ({ campaignId, affiliateId })
  await buildClick(scene, { ...of(first.id), count: 3 })
  await buildClick(scene, { ...of(first.id), count: 5, ago: '60 days' })
  await buildClick(scene, { ...of(second.id), count: 2 })
  await buildClick(scene, { ...of(first.id, other.id), count: 7 })
  const bot = await buildClick(scene, of(first.id))
  await scene.database.owner.query('UPDATE clicks SET is_bot = true WHERE id = $1', [bot])
  const conversion = (token: string, more: object = {}) =>
    convert(scene.api, { campaign_id: first.id, customer_ref: unique('customer'), token, ...more })
  await conversion(jane.token)
  await conversion(other.token)
  const { body } = await conversion(jane.token)
  await scene.database.owner.query("UPDATE referrals SET status = 'rejected' WHERE id = $1", [
    body.referral.id,
  ])

  const browser = await PortalBrowser.signIn(scene, jane.id)
  const { days, data } = await browser.ask('listLinks')
  const counts = (data as { campaign_id: number; clicks: number; conversions: number }[]).map(link => [
    link.campaign_id,
    link.clicks,
    link.conversions,
  ])
  expect([days, counts]).toEqual([
    30,
    [
      [first.id, 3, 1],
      [second.id, 2, 0],
    ],
  ])
  const home = await browser.ask('getHome', { query: { days } })
  expect([home.clicks, home.conversions]).toEqual([5, 1])
})
