/**
 * Protects reports from a refund that did not happen after all: a commission that it voided and that was given back is counted as one, in
 * however many parts, by every report.
 */
import { expect, it } from 'vitest'
import { affiliateOverview } from '../../src/earning/overview/affiliate-overview.ts'
import { reverseRefund } from '../../src/earning/refunds/reverse-refund.ts'
import { sumFacts } from '../../src/insight/fact-sums.store.ts'
import { findWrongDays } from '../../src/insight/wrong-days.store.ts'
import { DAY_MS } from '../../src/kit/timestamp.ts'
import { streamCommissions } from '../../src/money/commissions/commission-list.store.ts'
import { reviewCommission } from '../../src/money/commissions/review-commission.ts'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { writeDamage } from '../ledger/damage.ts'
import { earnOne, entriesOf, percent, refund, short, type Won, winCustomer } from '../ledger/scene.ts'
import { factsOf, rawFacts, summedBy } from './raw-facts.ts'
import { rollUpAll } from './roll-up-all.ts'

const scene = useOwnScene()
const RETENTION_DAYS = 400
const day = (offset: number) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10)
const held = { hold_days: 30 }

async function takeBack(saleId: string, amount_minor?: number): Promise<string> {
  const external_id = unique('refund')
  await refund(scene.api, { external_id, sale_external_id: saleId, ...(amount_minor && { amount_minor }) })
  return external_id
}

const reverse = (externalId: string, saleExternalId: string) =>
  reverseRefund(scene.database.db, scene.account.id, { externalId, saleExternalId })

const rollUpEveryDay = () => rollUpAll(scene, RETENTION_DAYS)

/** The number of commissions and their amount in Explore, the rows behind the number, and the amount in the portal. */
async function reported({ campaign, affiliate }: Won) {
  const { database, account } = scene
  const range = { accountId: account.id, from: day(-10), to: day(1), reportingCurrency: null }
  const facts = factsOf(await sumFacts(database.db, range, 'campaign'))
  const raw = await rawFacts(database.owner, account.id, 'UTC')
  expect(facts).toEqual(summedBy(Object.entries(raw), 'campaign'))
  const { series } = await affiliateOverview(database.db, account.id, affiliate.id, 30)
  const filters = { is_counted: true, campaign_id: campaign.id } as const
  const listed: number[] = []
  await database.db.transaction(async tx => {
    for await (const rows of streamCommissions(tx, account.id, filters))
      listed.push(...rows.map(row => row.payout_amount_minor))
  })
  return {
    count: facts[`${campaign.id} USD commissions`] ?? 0,
    amount: facts[`${campaign.id} USD commissions_minor`] ?? 0,
    listed,
    portal: series.reduce((sum, { earned_minor }) => sum + earned_minor, 0),
  }
}

it('is counted once, whether it is taken and given back again', async () => {
  const won = await winCustomer(scene, held)
  const { external_id } = await earnOne(scene, won)
  const whole = await takeBack(external_id)
  expect(await reported(won)).toEqual({ count: 0, amount: 0, listed: [], portal: 0 })
  const [given] = (await reverse(whole, external_id)).commissions
  expect(await reported(won)).toEqual({ count: 1, amount: 2000, listed: [2000], portal: 2000 })
  await reviewCommission(scene.database.db, scene.account.id, given?.id as number, 'approved')
  const part = await takeBack(external_id, 4000)
  expect(await reported(won)).toEqual({ count: 1, amount: 1200, listed: [-800, 2000], portal: 1200 })
  await reverse(part, external_id)
  expect(await reported(won)).toEqual({ count: 1, amount: 2000, listed: [800, -800, 2000], portal: 2000 })
})

it('credit that is given back is no commission', async () => {
  const rewards = [percent(1000, { beneficiary: 'referrer', entryType: 'credit' })]
  const won = await winCustomer(scene, { program_type: 'referral', ...held, rewards })
  const { external_id } = await earnOne(scene, won)
  await reverse(await takeBack(external_id), external_id)
  expect(await reported(won)).toEqual({ count: 0, amount: 0, listed: [], portal: 0 })
})

it('is counted on the day of its next part when a person voids the first', async () => {
  const { database, account } = scene
  const won = await winCustomer(scene, held)
  const { external_id } = await earnOne(scene, won)
  await reverse(await takeBack(external_id), external_id)
  await reverse(await takeBack(external_id, 5000), external_id)
  const parts = (await entriesOf(scene, won.referralId)).filter(({ status }) => status !== 'void')
  expect(parts.map(short)).toEqual([1, 2].map(() => ['adjustment', 1000, 'pending']))
  for (const [index, { id }] of parts.entries())
    await writeDamage(
      database,
      "UPDATE commissions SET created_at = now() - $2::integer * interval '1 day' WHERE id = $1",
      [id, 4 - index],
    )
  await rollUpEveryDay()
  expect(await reported(won)).toMatchObject({ count: 1, amount: 2000 })
  await reviewCommission(database.db, account.id, parts[0]?.id as number, 'void')
  expect(await reported(won)).toMatchObject({ count: 1, amount: 1000 })
  await rollUpEveryDay()
  expect(await reported(won)).toMatchObject({ count: 1, amount: 1000 })
  expect(await findWrongDays(database.db, RETENTION_DAYS)).toEqual([])
})
