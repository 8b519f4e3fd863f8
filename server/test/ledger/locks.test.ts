/** Protects an entry and its clawbacks from parting: whatever moves the one sees what a refund beside it has just taken back. */
import { afterAll, describe, expect, it } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { reportRefund } from '../../src/earning/refunds/report-refund.ts'
import { reviewCommission } from '../../src/money/commissions/review-commission.ts'
import { reviewCommissions } from '../../src/money/commissions/review-commissions.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { releaseHolds } from '../../src/money/ledger/holds.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { earnOne, entriesOf, pay, short, type Terms, winCustomer } from './scene.ts'

const scene = useSoundScene()
const LONG_AGO = '2026-01-01T00:00:00.000Z'

/** A pending commission of 2000 for a sale of 10,000, whose hold has passed. */
async function pendingEntry(terms: Terms = {}) {
  const won = await winCustomer(scene, { hold_days: 1, ...terms })
  const { external_id, entry } = await earnOne(scene, won, 10_000, { occurred_at: LONG_AGO })
  expect(entry.status).toBe('pending')
  const refundHalf = (db: Db) =>
    reportRefund(db, scene.account.id, {
      external_id: unique('refund'),
      sale_external_id: external_id,
      amount_minor: 5000,
    })
  const patch = (db: Db, decision: 'approved' | 'void', id = entry.id) =>
    reviewCommission(db, scene.account.id, id, decision)
  const review = (db: Db, decision: 'approved' | 'rejected') =>
    reviewReferral(db, scene.account.id, won.referralId, decision)
  const ledger = async () => (await entriesOf(scene, won.referralId)).map(short)
  const owed = async () =>
    (await balancesOf(scene.database.db, scene.account.id, won.affiliate.id))[0]?.balance_minor ?? 0
  return { won, entry, refundHalf, patch, review, ledger, owed }
}
type Pending = Awaited<ReturnType<typeof pendingEntry>>

afterAll(async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})

const moved = (status: string) => [
  ['earned', 2000, status],
  ['clawback', -1000, status],
]

describe('half a refund is under way while', () => {
  it.each<[string, Terms, (entry: Pending) => Promise<unknown>, string]>([
    ['a person voids the commission', {}, ({ patch }) => patch(scene.database.db, 'void'), 'void'],
    ['a person approves it', {}, ({ patch }) => patch(scene.database.db, 'approved'), 'approved'],
    [
      'a person voids it with others',
      {},
      ({ entry }) =>
        scene.database.db.transaction(tx => reviewCommissions(tx, scene.account.id, [entry.id], 'void')),
      'void',
    ],
    ['its referral is rejected', {}, ({ review }) => review(scene.database.db, 'rejected'), 'void'],
    [
      'its referral is approved after review',
      { reviewsReferrals: true },
      ({ review }) => review(scene.database.db, 'approved'),
      'approved',
    ],
  ])('%s: both move together', async (_what, terms, second, status) => {
    const pending = await pendingEntry(terms)
    await whileHeld(scene.database, pending.refundHalf, () => second(pending))
    expect(await pending.ledger()).toEqual(moved(status))
  })

  it('its hold is released: it is left for the next time, with its clawback', async () => {
    const { refundHalf, ledger } = await pendingEntry()
    await refundHalf(scene.database.db)
    const held = await pendingEntry()
    await held.refundHalf(scene.database.db)
    // A second refund holds the entry: its first clawback must not be released without it.
    await whileHeld(
      scene.database,
      tx => reportRefundOf(tx, held),
      () => releaseHolds(scene.database.db),
    )
    expect((await held.ledger()).map(([, , status]) => status)).toEqual(['pending', 'pending', 'pending'])
    expect(await ledger()).toEqual(moved('approved'))
    await releaseHolds(scene.database.db)
    expect((await held.ledger()).map(([, , status]) => status)).toEqual(['approved', 'approved', 'approved'])
  })

  const reportRefundOf = async (db: Db, { won }: Pending) => {
    const { rows } = await scene.database.owner.query(
      'SELECT external_id FROM sales WHERE referral_id = $1',
      [won.referralId],
    )
    return reportRefund(db, scene.account.id, {
      external_id: unique('refund'),
      sale_external_id: rows[0].external_id,
      amount_minor: 2500,
    })
  }
})

describe('half a refund comes while another move holds the entry', () => {
  it.each<[string, Terms, (entry: Pending) => (db: Db) => Promise<unknown>, unknown]>([
    [
      'that voids it',
      {},
      ({ patch }) =>
        db =>
          patch(db, 'void'),
      [['earned', 2000, 'void']],
    ],
    [
      'that approves it',
      {},
      ({ patch }) =>
        db =>
          patch(db, 'approved'),
      moved('approved'),
    ],
    [
      'that rejects its referral',
      {},
      ({ review }) =>
        db =>
          review(db, 'rejected'),
      [['earned', 2000, 'void']],
    ],
    [
      'that approves its referral',
      { reviewsReferrals: true },
      ({ review }) =>
        db =>
          review(db, 'approved'),
      moved('approved'),
    ],
    ['that releases its hold', {}, () => db => releaseHolds(db), moved('approved')],
  ])('%s: the clawback has its status', async (_what, terms, first, expected) => {
    const pending = await pendingEntry(terms)
    await whileHeld(scene.database, first(pending), () => pending.refundHalf(scene.database.db))
    expect(await pending.ledger()).toEqual(expected)
  })
})

describe('a clawback is decided alone while its entry moves', () => {
  async function withClawback() {
    const pending = await pendingEntry()
    const { result } = await pending.refundHalf(scene.database.db)
    return { ...pending, clawbackId: result.commissions[0]?.id as number }
  }

  it.each(['approved', 'void'] as const)('%s, and the entry voided: nothing is owed', async decision => {
    const { patch, clawbackId, owed } = await withClawback()
    await whileHeld(
      scene.database,
      tx => patch(tx, decision, clawbackId),
      () => patch(scene.database.db, 'void'),
    )
    expect(await owed()).toBe(0)
  })

  it('approved, and the referral rejected: nothing is owed and nothing is pending', async () => {
    const { patch, review, clawbackId, owed, ledger } = await withClawback()
    await whileHeld(
      scene.database,
      tx => patch(tx, 'approved', clawbackId),
      () => review(scene.database.db, 'rejected'),
    )
    expect(await owed()).toBe(0)
    expect((await ledger()).filter(([, , status]) => status === 'pending')).toEqual([])
  })

  it.each(['approved', 'void'] as const)('%s too late: it has moved with its entry', async decision => {
    const { patch, clawbackId, ledger } = await withClawback()
    const late = whileHeld(
      scene.database,
      tx => patch(tx, 'void'),
      () => patch(scene.database.db, decision, clawbackId),
    )
    await expect(late).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await ledger()).toEqual(moved('void'))
  })

  it('in a list with its entry: what another person decided first is refused by name', async () => {
    const { patch, clawbackId, entry, owed } = await withClawback()
    const result = await whileHeld(
      scene.database,
      tx => patch(tx, 'approved', clawbackId),
      () =>
        scene.database.db.transaction(tx =>
          reviewCommissions(tx, scene.account.id, [entry.id, clawbackId], 'void'),
        ),
    )
    expect(result).toMatchObject({ done: 1, refused: [{ id: clawbackId }] })
    expect(await owed()).toBe(0)
  })
})

it('a payout made while a refund is under way pays the commission, and the next one is that much smaller', async () => {
  const won = await winCustomer(scene)
  const { external_id } = await earnOne(scene, won)
  const half = { external_id: unique('refund'), sale_external_id: external_id, amount_minor: 5000 }
  const paid = await whileHeld(
    scene.database,
    tx => reportRefund(tx, scene.account.id, half),
    () => pay(scene, won.campaign.id),
  )
  expect(paid).toEqual({ [won.affiliate.id]: 2000 })
  expect((await entriesOf(scene, won.referralId)).map(short)).toEqual([
    ['earned', 2000, 'paid'],
    ['clawback', -1000, 'approved'],
  ])
})
