/** Protects who decides about money: what follows from it is said before, with the amounts. */
import { expect, it } from 'vitest'
import { money } from '../../ui/format.ts'
import { consequences, type Reviewed } from './review-words.ts'

const now = Date.parse('2026-11-16T12:00:00Z')
const row = (payout_amount_minor: number, more: Partial<Reviewed> = {}): Reviewed => ({
  id: 1,
  status: 'pending',
  payout_amount_minor,
  payout_currency: 'USD',
  hold_until: null,
  ...more,
})

it('names the sum of each currency', () => {
  const rows = [row(1000), row(500), row(300, { payout_currency: 'JPY' })]
  expect(consequences(rows, 'approved', now)).toBe(
    `${money(1500, 'USD')} and ${money(300, 'JPY')} becomes payable with the next payout.`,
  )
})

it('says that a hold ends early, while it lasts', () => {
  const [lasting, over] = ['2026-11-16T12:00:01Z', '2026-11-16T12:00:00Z'].map(hold_until =>
    consequences([row(1), row(1, { hold_until })], 'approved', now),
  )
  expect(lasting).toContain('The hold ends early')
  expect(over).not.toContain('hold')
})

it('says that the referral still waits for review', () => {
  const inReview = row(1, { referral: { status: 'pending_review' } })
  expect(consequences([inReview], 'approved', now)).toContain('waits for review')
  expect(consequences([row(1, { referral: null })], 'approved', now)).not.toContain('review')
})

it('says that voiding is final, whatever is held or reviewed', () => {
  const words = consequences([row(-250, { hold_until: '2027-01-01T00:00:00Z' })], 'void', now)
  expect(words.startsWith(`${money(-250, 'USD')} is no longer owed.`)).toBe(true)
  expect(words).toContain('cannot be approved again')
  expect(words).not.toContain('hold ends')
})
