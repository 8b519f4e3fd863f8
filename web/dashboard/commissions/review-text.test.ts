/** Protects decisions about money: the dialog states the consequences, with the amounts. */
import { expect, it } from 'vitest'
import { money } from '../../ui/format.ts'
import { consequencesText, type Reviewed, refusalOf } from './review-text.ts'

const now = Date.parse('2026-11-16T12:00:00Z')
const row = (payout_amount_minor: number, more: Partial<Reviewed> = {}): Reviewed => ({
  id: 1,
  status: 'pending',
  entry_type: 'earned',
  payout_id: null,
  payout_amount_minor,
  payout_currency: 'USD',
  hold_until: null,
  ...more,
})

it('states the total per currency', () => {
  const rows = [row(1000), row(500), row(300, { payout_currency: 'JPY' })]
  expect(consequencesText(rows, 'approved', now)).toBe(
    `${money(1500, 'USD')} and ${money(300, 'JPY')} becomes payable with the next payout.`,
  )
})

it('warns that an active hold ends early', () => {
  const [lasting, over] = ['2026-11-16T12:00:01Z', '2026-11-16T12:00:00Z'].map(hold_until =>
    consequencesText([row(1), row(1, { hold_until })], 'approved', now),
  )
  expect(lasting).toContain('The hold ends early')
  expect(over).not.toContain('hold')
})

it('warns that the referral still needs review', () => {
  const inReview = row(1, { referral: { status: 'pending_review' } })
  expect(consequencesText([inReview], 'approved', now)).toContain('needs review')
  expect(consequencesText([row(1, { referral: null })], 'approved', now)).not.toContain('review')
})

it('warns that voiding is permanent, with or without a hold', () => {
  const text = consequencesText([row(-250, { hold_until: '2027-01-01T00:00:00Z' })], 'void', now)
  expect(text.startsWith(`${money(-250, 'USD')} is removed from the balance.`)).toBe(true)
  expect(text).toContain("can't be undone")
  expect(text).not.toContain('hold ends')
})

it('says why a decision does not apply', () => {
  const why = (more: Partial<Reviewed>) => [
    refusalOf(row(1, more), 'approved'),
    refusalOf(row(1, more), 'void'),
  ]
  expect(why({})).toEqual([null, null])
  expect(why({ status: 'approved' })).toEqual(['already approved', null])
  expect(why({ status: 'approved', payout_id: 7 })).toEqual([
    'already approved',
    'in payout 7 (cancel the payout first)',
  ])
  expect(why({ status: 'approved', entry_type: 'adjustment' })[1]).toContain('adjust the balance')
  expect(why({ status: 'paid' })[1]).toContain('already paid')
  expect(why({ status: 'void' })).toEqual(['already void', 'already void'])
})
