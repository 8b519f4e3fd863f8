/** Protects from rewriting the past: a balance and a statement of a day show each entry in the status that it had on that day. */
import { expect, it } from 'vitest'
import { currentTime } from '../../src/db/current-time.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { csvStatement } from '../../src/money/statements/csv-statement.ts'
import { useOwnScene } from '../harness.ts'
import { create, markPaid, untilAfter } from '../payouts/ground.ts'
import { earnOne, percent, refund, type Won, winCustomer } from './scene.ts'

const scene = useOwnScene()

/** A moment after all that happened so far, and before all that follows. */
async function now(): Promise<string> {
  await untilAfter(scene, await currentTime(scene.database.db))
  const time = await currentTime(scene.database.db)
  await untilAfter(scene, time)
  return time
}

const balance = async ({ affiliate }: Won, asOf?: string) =>
  (await balancesOf(scene.database.db, scene.account.id, affiliate.id, asOf))[0]

/** Type, status and balance of every line. */
async function lines({ affiliate }: Won, asOf?: string): Promise<string[][]> {
  let text = ''
  await csvStatement(scene.database.db, scene.account.id, affiliate.id, asOf, part => {
    text += part
  })
  return text
    .split('\r\n')
    .slice(1, -1)
    .map(line => line.split(','))
    .map(cells => [cells[2] as string, cells[3] as string, cells.at(-2) as string])
}

const nothing = { currency: 'USD', pending_minor: 0, approved_minor: 0, paid_out_minor: 0, credit_minor: 0 }

/** Earned, approved, and paid, with a moment after each. */
async function paidSale(): Promise<{
  won: Won
  pending: string
  approved: string
  paid: string
  id: number
}> {
  const won = await winCustomer(scene, { hold_days: 30 })
  const { entry } = await earnOne(scene, won, 2500)
  const pending = await now()
  expect((await scene.api.patch(`/commissions/${entry.id}`, { status: 'approved' })).status).toBe(200)
  const approved = await now()
  const { id } = await create(scene, won.campaign)
  await markPaid(scene, id)
  return { won, pending, approved, paid: await now(), id: entry.id }
}

it('pending, then approved, then paid', async () => {
  const { won, pending, approved, paid } = await paidSale()
  expect(await balance(won, pending)).toEqual({ ...nothing, pending_minor: 500, balance_minor: 500 })
  expect(await balance(won, approved)).toEqual({ ...nothing, approved_minor: 500, balance_minor: 500 })
  const after = { ...nothing, paid_out_minor: 500, balance_minor: 0 }
  expect(await balance(won, paid)).toEqual(after)
  expect(await balance(won)).toEqual(after)
  expect(await lines(won, pending)).toEqual([['earned', 'pending', '5.00']])
  expect(await lines(won, approved)).toEqual([['earned', 'approved', '5.00']])
  expect(await lines(won, paid)).toEqual([
    ['earned', 'paid', '5.00'],
    ['payout', 'paid', '0.00'],
  ])
})

it('before migration 0022: from the audit log, and never later than its payout', async () => {
  const { won, pending, approved, paid, id } = await paidSale()
  const { owner } = scene.database
  await owner.query(
    `ALTER TABLE commissions DISABLE TRIGGER USER; UPDATE commissions SET approved_at = NULL WHERE id = ${id};
     ALTER TABLE commissions ENABLE TRIGGER USER`,
  )
  for (const [time, status] of [
    [pending, 'pending'],
    [approved, 'approved'],
    [paid, 'paid'],
  ] as const)
    expect((await lines(won, time))[0]?.[1]).toBe(status)
  await owner.query(
    `ALTER TABLE audit_log DISABLE TRIGGER USER; DELETE FROM audit_log WHERE subject_id = ${id};
     ALTER TABLE audit_log ENABLE TRIGGER USER`,
  )
  // Its hold has not even ended, but it was in a payout by then.
  expect((await lines(won, pending))[0]?.[1]).toBe('pending')
  expect((await lines(won, paid))[0]?.[1]).toBe('paid')
})

it('without a hold it was approved from the start; voided later, it was pending', async () => {
  const free = await winCustomer(scene)
  await earnOne(scene, free, 2500)
  expect((await lines(free, await now()))[0]).toEqual(['earned', 'approved', '5.00'])

  const held = await winCustomer(scene, { hold_days: 30 })
  await earnOne(scene, held, 2500)
  const before = await now()
  await reviewReferral(scene.database.db, scene.account.id, held.referralId, 'rejected')
  expect(await lines(held, before)).toEqual([['earned', 'pending', '5.00']])
  expect(await lines(held, await now())).toEqual([['earned', 'void', '0.00']])
  expect(await balance(held, before)).toMatchObject({ pending_minor: 500, balance_minor: 500 })
})

it('credit stands apart from money, and so does what is taken back of it', async () => {
  const won = await winCustomer(scene, {
    program_type: 'referral',
    rewards: [percent(1000, { beneficiary: 'referrer', entryType: 'credit' })],
  })
  const { external_id } = await earnOne(scene, won, 10_000)
  await refund(scene.api, {
    external_id: `${external_id}-r`,
    sale_external_id: external_id,
    amount_minor: 5000,
  })
  expect(await balance(won)).toEqual({ ...nothing, balance_minor: 0, credit_minor: 500 })
  expect(await lines(won)).toEqual([
    ['credit', 'approved', ''],
    ['clawback', 'approved', ''],
  ])
})
