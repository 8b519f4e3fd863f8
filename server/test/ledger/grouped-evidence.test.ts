/** Protects who is credited when conversions share a commit: each is credited by the clicks of its visitor, in its window. */
import { expect, it } from 'vitest'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { approvedAffiliate, buildClick, convert, openCampaign } from './scene.ts'

const scene = useOwnScene()

const AT_ONCE = 12

/** One visitor each, with an affiliate's click that the report names and another affiliate's that is older. */
async function buildVisitors() {
  const campaigns = [
    await openCampaign(scene.database, scene.account.id, { attribution_model: 'first_click' }),
    // Here the older click is too old.
    await openCampaign(scene.database, scene.account.id, { attribution_window_days: 1 }),
  ]
  const visitors = []
  for (let n = 0; n < AT_ONCE; n++) {
    const { id: campaignId } = campaigns[n % 2] as { id: number }
    const [older, newer] = [
      await approvedAffiliate(scene, campaignId),
      await approvedAffiliate(scene, campaignId),
    ]
    const click = { campaignId, visitorId: unique('visitor') }
    await buildClick(scene, { ...click, affiliateId: older.id, ago: '3 days' })
    const click_id = await buildClick(scene, { ...click, affiliateId: newer.id, ago: `${n + 1} hours` })
    visitors.push({ campaign_id: campaignId, click_id, credited: (n % 2 ? newer : older).id })
  }
  return visitors
}

// PostgreSQL plans a table of one partition differently.
it.each(['one table', 'several tables'])('credits each by the clicks of its visitor, in %s', async tables => {
  if (tables === 'several tables')
    await scene.database.owner.query(
      "CREATE TABLE clicks_2100_01 PARTITION OF clicks FOR VALUES FROM ('2100-01-01') TO ('2100-02-01')",
    )
  const visitors = await buildVisitors()
  const answers = await Promise.all(
    visitors.map(({ campaign_id, click_id }) =>
      convert(scene.api, { campaign_id, click_id, customer_ref: unique('customer') }),
    ),
  )
  expect(answers.map(({ body }) => body.referral?.affiliate_id)).toEqual(
    visitors.map(({ credited }) => credited),
  )
})
