/** Protects what affiliates believe they have: earned = pending + approved + in a payout + paid, to the cent, whatever happens to it. */
import type { Campaign, Commission } from '@tributary/contract'
import type { Home } from '@tributary/contract/portal'
import { describe, expect, it } from 'vitest'
import { earnSalesAwaitingRate } from '../../src/earning/sales/earn-sales-awaiting-rate.ts'
import { updateAccount } from '../../src/programme/accounts/update-account.ts'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import {
  approvedAffiliate,
  buildClick,
  convert,
  earnOne,
  flat,
  openCampaign,
  percent,
  sell,
  type Terms,
  useRate,
  type Won,
} from '../ledger/scene.ts'
import { cancelPayout, create, markFailed, markPaid, owe } from '../payouts/ground.ts'
import { useEarnings } from './earnings-ground.ts'

const scene = useOwnScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const DAY_MS = 86_400_000

const { ground, home, figures, takeBack, approve } = useEarnings(scene)

it('follows a sale through its whole life', async () => {
  const of = await ground({ hold_days: 30 })
  expect(await figures(of)).toEqual([0, 0, 0, 0, 0])
  const { external_id, entry } = await earnOne(scene, of, 10_000)
  expect(await figures(of)).toEqual([2000, 2000, 0, 0, 0])
  await takeBack(external_id, 2500)
  expect(await figures(of)).toEqual([1500, 1500, 0, 0, 0])
  await approve(entry.id)
  expect(await figures(of)).toEqual([1500, 0, 1500, 0, 0])
  await owe(scene, of.campaign, of.affiliate, 700)
  expect(await figures(of)).toEqual([2200, 0, 2200, 0, 0])

  const inPayout = async () =>
    ((await of.jane.ask('listCommissions')).data as { in_payout: boolean }[]).map(each => each.in_payout)
  for (const end of ['canceled', 'failed'] as const) {
    expect(await inPayout()).not.toContain(true)
    const { id } = await create(scene, of.campaign)
    expect(await figures(of)).toEqual([2200, 0, 0, 2200, 0])
    expect(await inPayout()).not.toContain(false)
    if (end === 'failed') await markFailed(scene, id)
    else await cancelPayout(scene.database.db, scene.account.id, id)
    expect(await figures(of)).toEqual([2200, 0, 2200, 0, 0])
  }
  const { id } = await create(scene, of.campaign)
  await owe(scene, of.campaign, of.affiliate, 300)
  expect(await figures(of)).toEqual([2500, 0, 300, 2200, 0])
  await markPaid(scene, id)
  expect(await figures(of)).toEqual([2500, 0, 300, 0, 2200])
  // The customer gets the money back after it was paid out: it is carried forward.
  await takeBack(external_id)
  expect(await figures(of)).toEqual([1000, 0, -1200, 0, 2200])
})

it('a sale that is refunded in full while it is held has earned nothing', async () => {
  const of = await ground({ hold_days: 30 })
  const { external_id } = await earnOne(scene, of, 10_000)
  await takeBack(external_id)
  expect(await figures(of)).toEqual([0, 0, 0, 0, 0])
})

it('what the company looks at first is pending without a day', async () => {
  const of = await ground({ hold_days: 0, reviewsReferrals: true })
  await earnOne(scene, of, 10_000)
  const [one] = (await home(of)).earnings
  expect([one?.pending_minor, one?.in_review_minor, one?.holds]).toEqual([2000, 2000, []])
  const [entry] = (await of.jane.ask('listCommissions')).data
  expect([entry.status, entry.in_review]).toEqual(['pending', true])
})

it('holds are listed by day, the nearest first, and summed up after twelve days', async () => {
  const of = await ground({ hold_days: 30 })
  const now = Date.now()
  const day = (days: number, hour = 12) => {
    const at = new Date(now - days * DAY_MS)
    at.setUTCHours(hour, 0, 0, 0)
    return at.toISOString()
  }
  const sale = async (days: number, hour?: number) =>
    earnOne(scene, of, 1000 * days, { occurred_at: day(days, hour) })
  for (let days = 1; days <= 14; days += 1) await sale(days)
  await sale(14, 13)
  const [one] = (await home(of)).earnings
  const { holds = [] } = one ?? {}
  expect(holds).toHaveLength(13)
  const until = (days: number, hour?: number) =>
    new Date(Date.parse(day(days, hour)) + 30 * DAY_MS).toISOString()
  const hold = (at: string, count: number, amount_minor: number) => ({
    day: at.slice(0, 10),
    until: at,
    count,
    amount_minor,
  })
  expect(holds[0]).toEqual(hold(until(14, 13), 2, 5600))
  expect(holds[1]).toEqual(hold(until(13), 1, 2600))
  expect(holds[12]).toEqual(hold(until(1), 2, 600))

  // In Nouméa, eleven hours ahead, 13:00 UTC is the next day already.
  const { db } = scene.database
  await updateAccount(db, scene.account.id, { time_zone: 'Pacific/Noumea' })
  const [there] = (await home(of)).earnings
  expect(there?.holds[0]).toEqual(hold(until(14), 1, 2800))
  expect(there?.holds[1]).toEqual(hold(until(13), 2, 5400))
  await updateAccount(db, scene.account.id, { time_zone: 'UTC' })
})

it('credit is separate, net of its clawbacks', async () => {
  const of = await ground({
    program_type: 'referral',
    rewards: [
      percent(1000, { beneficiary: 'referrer', entryType: 'credit' }),
      flat(300, 'USD', { beneficiary: 'referee' }),
    ],
  })
  const { external_id } = await sellOne(of, 10_000)
  const shown = async () => {
    const [one] = (await home(of)).earnings
    return [one?.earned_minor, one?.pending_minor, one?.approved_minor, one?.credit_minor]
  }
  expect(await shown()).toEqual([0, 0, 0, 1000])
  await takeBack(external_id, 4000)
  expect(await shown()).toEqual([0, 0, 0, 600])
  const { data } = await of.jane.ask('listReferrals')
  expect(data[0].earned).toEqual([])
})

/** A sale that may earn several entries. */
async function sellOne({ customer_ref }: Won, amount_minor: number, currency = 'USD') {
  const external_id = unique('sale')
  const { status, body } = await sell(scene.api, { customer_ref, external_id, amount_minor, currency })
  expect(status).toBe(201)
  return { external_id, commissions: body.commissions as Commission[] }
}

it('tests, and what belongs to the friend, count nowhere', async () => {
  const of = await ground({
    program_type: 'referral',
    rewards: [percent(1000, { beneficiary: 'referrer' }), flat(300, 'USD', { beneficiary: 'referee' })],
  })
  await sellOne(of, 10_000)
  const customer_ref = unique('customer')
  const test = { campaign_id: of.campaign.id, customer_ref, token: of.affiliate.token, is_test: true }
  await convert(scene.api, test)
  await sellOne({ ...of, customer_ref }, 50_000)
  expect(await figures(of)).toEqual([1000, 0, 1000, 0, 0])
  const shown = await home(of)
  expect([shown.conversions, shown.series.reduce((sum, step) => sum + step.earned_minor, 0)]).toEqual([
    1, 1000,
  ])
  for (const route of ['listReferrals', 'listCommissions'] as const)
    expect((await of.jane.ask(route)).data).toHaveLength(1)
  const csv = await of.jane.call('downloadStatement')
  expect(csv.text.trim().split('\n')).toHaveLength(2)
})

it('several campaigns and currencies stand beside each other, also one that has earned nothing', async () => {
  const of = await ground({ name: 'Dollars' })
  const { jane, affiliate } = of
  const join = async (terms: Terms): Promise<Campaign> => {
    const campaign = await openCampaign(scene.database, scene.account.id, {
      visibility: 'public',
      open_enrollment: true,
      ...terms,
    })
    await jane.ask('joinCampaign', { id: campaign.id })
    return campaign
  }
  const yen = await join({ name: 'Yen', payout_currency: 'JPY' })
  await join({ name: 'Nothing', payout_currency: 'EUR' })
  await earnOne(scene, of, 10_000)
  await owe(scene, yen, affiliate, 5000)
  const { earnings, currency } = await home(of)
  expect(earnings.map(one => [one.campaign_name, one.currency, one.earned_minor])).toEqual([
    ['Dollars', 'USD', 2000],
    ['Yen', 'JPY', 5000],
    ['Nothing', 'EUR', 0],
  ])
  expect(currency).toBe('USD')
})

it('a sale without an exchange rate is counted, and earns once the rate is available', async () => {
  const of = await ground()
  const { commissions } = await sellWaiting(of)
  expect(commissions).toEqual([])
  expect(await home(of)).toMatchObject({ awaiting_rate: 1, earnings: [{ earned_minor: 0 }] })
  await useRate(scene, 'CHF', 'USD', '1.25')
  await earnSalesAwaitingRate(scene.database.db)
  expect(await home(of)).toMatchObject({ awaiting_rate: 0, earnings: [{ earned_minor: 2500 }] })
  const [entry] = (await of.jane.ask('listCommissions')).data
  expect([entry.amount_minor, entry.original]).toEqual([2500, { amount_minor: 2000, currency: 'CHF' }])
})

async function sellWaiting({ customer_ref }: Won) {
  const body = { customer_ref, external_id: unique('sale'), amount_minor: 10_000, currency: 'CHF' }
  return (await sell(scene.api, body)).body
}

describe('over time', () => {
  it('counts the affiliate’s own clicks, conversions and earnings, in steps that cover the period', async () => {
    const of = await ground()
    const another = await approvedAffiliate(scene, of.campaign.id)
    const click = (affiliateId: number, ago: string, count: number) =>
      buildClick(scene, { campaignId: of.campaign.id, affiliateId, ago, count })
    await click(of.affiliate.id, '1 hour', 3)
    await click(of.affiliate.id, '40 days', 5)
    await click(another.id, '1 hour', 7)
    await earnOne(scene, of, 10_000)
    for (const [days, clicks, steps] of [
      [7, 3, 7],
      [30, 3, 30],
      [90, 8, 90],
      [365, 8, 53],
    ] as const) {
      const shown: Home = await of.jane.ask('getHome', { query: { days } })
      expect([days, shown.clicks, shown.conversions]).toEqual([days, clicks, 1])
      expect(Math.abs(shown.series.length - steps)).toBeLessThanOrEqual(1)
      const total = (field: 'clicks' | 'conversions' | 'earned_minor') =>
        shown.series.reduce((sum, step) => sum + step[field], 0)
      expect([total('clicks'), total('conversions'), total('earned_minor')]).toEqual([clicks, 1, 2000])
    }
  })
})
