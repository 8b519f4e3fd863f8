/** Protects both sides of a refund: however it is cut into pieces, exactly its share is taken back, and never more than the entry. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seed as SEED, sized } from '../../../../testing/size.ts'
import type { SaleEntry } from './entry.ts'
import { everything, takeBack } from './take-back.ts'

const RUNS = sized(1000, 100_000)
const settings = { seed: SEED, numRuns: RUNS }
const reason = { refundId: 5, description: 'Refund r' }

const entryOf = (overrides: Partial<SaleEntry> = {}): SaleEntry => ({
  id: 7,
  campaign_id: 1,
  affiliate_id: 2,
  referral_id: 3,
  entry_type: 'earned',
  beneficiary: 'affiliate',
  amount_minor: 2000,
  currency: 'USD',
  payout_amount_minor: 2000,
  payout_currency: 'USD',
  status: 'approved',
  hold_until: '2026-03-01T00:00:00.000Z',
  description: 'Sale s',
  created_at: '2026-02-01T00:00:00.000Z',
  sale_id: 4,
  fx_rate: null,
  fx_source: null,
  clawed_minor: 0,
  clawed_payout_minor: 0,
  forgiven_minor: 0,
  forgiven_payout_minor: 0,
  reinstated_minor: 0,
  reinstated_payout_minor: 0,
  reinstated_on_hold: [],
  waived_minor: 0,
  waived_payout_minor: 0,
  ...overrides,
})

/** Takes refund after refund, each seeing what the ones before took, as the ledger does. */
function refundAll(entry: SaleEntry, refunds: number[], whole: number): { amount: number; payout: number } {
  let refunded = 0
  let current = entry
  for (const refund of refunds) {
    refunded += refund
    const action = takeBack(current, { part: BigInt(refunded), whole: BigInt(whole) }, reason)
    if (action.kind !== 'clawback') continue
    expect(action.entry.amount_minor < 0n && action.entry.payout_amount_minor <= 0n).toBe(true)
    current = {
      ...current,
      clawed_minor: current.clawed_minor - Number(action.entry.amount_minor),
      clawed_payout_minor: current.clawed_payout_minor - Number(action.entry.payout_amount_minor),
    }
    expect(current.clawed_minor).toBeLessThanOrEqual(entry.amount_minor)
    expect(current.clawed_payout_minor).toBeLessThanOrEqual(entry.payout_amount_minor)
  }
  return { amount: current.clawed_minor, payout: current.clawed_payout_minor }
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
const refunds = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 10 })

describe('many refunds take what one of their sum does', () => {
  it(`in one currency (seed ${SEED})`, () => {
    fc.assert(
      fc.property(
        refunds,
        fc.integer({ min: 0, max: 500 }),
        fc.integer({ min: 1, max: 5000 }),
        (parts, kept, amount) => {
          const whole = sum(parts) + kept
          const entry = entryOf({ amount_minor: amount, payout_amount_minor: amount })
          expect(refundAll(entry, parts, whole)).toEqual(refundAll(entry, [sum(parts)], whole))
        },
      ),
      settings,
    )
  })

  it(`where the payout currency is another one (seed ${SEED})`, () => {
    const minor = fc.integer({ min: 1, max: 3000 })
    fc.assert(
      fc.property(
        refunds,
        fc.integer({ min: 0, max: 500 }),
        minor,
        fc.integer({ min: 0, max: 3000 }),
        (parts, kept, amount, payout) => {
          const whole = sum(parts) + kept
          const entry = entryOf({
            amount_minor: amount,
            payout_amount_minor: payout,
            currency: 'JPY',
            payout_currency: 'KWD',
          })
          expect(refundAll(entry, parts, whole)).toEqual(refundAll(entry, [sum(parts)], whole))
        },
      ),
      settings,
    )
  })

  it('where one yen is many fils: the rest of the payout is taken too', () => {
    const entry = entryOf({
      amount_minor: 1,
      payout_amount_minor: 100,
      currency: 'JPY',
      payout_currency: 'KWD',
    })
    expect(refundAll(entry, [60, 40], 100)).toEqual({ amount: 1, payout: 100 })
  })

  it('thirds lose nothing', () => {
    expect(refundAll(entryOf({ amount_minor: 100, payout_amount_minor: 100 }), [33, 33, 33], 99).amount).toBe(
      100,
    )
  })
})

describe('the outcome for an entry', () => {
  it.each([
    ['pending', { part: 10n, whole: 10n }, 0, 'void'],
    ['pending', everything, 0, 'void'],
    ['pending', { part: 9n, whole: 10n }, 0, 'clawback'],
    ['pending', { part: 10n, whole: 10n }, 500, 'clawback'],
    ['approved', { part: 10n, whole: 10n }, 0, 'clawback'],
    ['paid', { part: 10n, whole: 10n }, 0, 'clawback'],
    ['paid', everything, 0, 'clawback'],
    ['void', { part: 10n, whole: 10n }, 0, 'nothing'],
    ['approved', { part: 10n, whole: 10n }, 2000, 'nothing'],
    ['approved', { part: 5n, whole: 10n }, 2000, 'nothing'],
    ['approved', { part: 1n, whole: 100_000n }, 0, 'nothing'],
  ] as const)('%s, %o gone, %i taken before: %s', (status, share, clawed, kind) => {
    const entry = entryOf({ status, clawed_minor: clawed, clawed_payout_minor: clawed })
    expect(takeBack(entry, share, reason).kind).toBe(kind)
  })

  it('a clawback becomes due together with a pending entry, and at once with any other', () => {
    const share = { part: 1n, whole: 4n }
    const pending = takeBack(entryOf({ status: 'pending' }), share, reason)
    expect(pending).toMatchObject({
      entry: { amount_minor: -500n, status: 'pending', hold_until: '2026-03-01T00:00:00.000Z' },
    })
    for (const status of ['approved', 'paid'] as const)
      expect(takeBack(entryOf({ status }), share, reason)).toMatchObject({
        entry: { amount_minor: -500n, status: 'approved', hold_until: null },
      })
  })

  it('a clawback names its entry, sale, refund, beneficiary, rate and source', () => {
    const entry = entryOf({
      beneficiary: 'referee',
      fx_rate: '1.1',
      fx_source: 'manual',
      currency: 'EUR',
      payout_amount_minor: 2200,
    })
    expect(takeBack(entry, { part: 1n, whole: 2n }, reason)).toMatchObject({
      entry: {
        clawback_of: 7,
        sale_id: 4,
        refund_id: 5,
        beneficiary: 'referee',
        fx_rate: '1.1',
        fx_source: 'manual',
        amount_minor: -1000n,
        payout_amount_minor: -1100n,
      },
    })
  })
})

describe('what a person forgave', () => {
  /** A refund of a quarter took 500 of 2000, in another currency 1000 of 4000, and a person voided that clawback. */
  const forgiven = (overrides: Partial<SaleEntry> = {}) =>
    entryOf({ payout_amount_minor: 4000, forgiven_minor: 500, forgiven_payout_minor: 1000, ...overrides })
  const taken = (action: ReturnType<typeof takeBack>) =>
    action.kind === 'clawback' ? [action.entry.amount_minor, action.entry.payout_amount_minor] : action.kind

  it('is not taken by a later refund', () => {
    expect(taken(takeBack(forgiven(), { part: 1n, whole: 4n }, reason))).toBe('nothing')
    expect(taken(takeBack(forgiven(), { part: 3n, whole: 4n }, reason))).toEqual([-1000n, -2000n])
  })

  it('adds up with what was taken', () => {
    const entry = forgiven({ clawed_minor: 500, clawed_payout_minor: 1000 })
    expect(taken(takeBack(entry, { part: 4n, whole: 4n }, reason))).toEqual([-1000n, -2000n])
  })

  it('is taken when the referral is rejected: it earns nothing at all', () => {
    expect(taken(takeBack(forgiven(), everything, reason))).toEqual([-2000n, -4000n])
    const entry = forgiven({ clawed_minor: 500, clawed_payout_minor: 1000 })
    expect(taken(takeBack(entry, everything, reason))).toEqual([-1500n, -3000n])
  })

  it('keeps a pending entry from being voided by the last refund, but not by a rejection', () => {
    expect(taken(takeBack(forgiven({ status: 'pending' }), { part: 4n, whole: 4n }, reason))).toEqual([
      -1500n,
      -3000n,
    ])
    // Taken and forgiven alike: they must not cancel out.
    const both = forgiven({ status: 'pending', clawed_minor: 500, clawed_payout_minor: 1000 })
    expect(taken(takeBack(both, { part: 4n, whole: 4n }, reason))).toEqual([-1000n, -2000n])
    expect(taken(takeBack(both, everything, reason))).toBe('void')
  })
})
