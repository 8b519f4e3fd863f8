/** Protects finance: a confirmation states how many payments and how much, and an unknown outcome what to do. */
import { describe, expect, it } from 'vitest'
import { money } from '../../ui/format.ts'
import { texts as sharedTexts } from '../shared/en.ts'
import { texts } from './en.ts'
import { decidedAbout, leftToMark, nextStepOf, reasonText, submissionText } from './payout-text.ts'
import { offeredRails } from './payouts.search.ts'

describe('why a payment failed', () => {
  it.each([
    ['PayPal says UNCLAIMED', /^Not claimed yet.*\(UNCLAIMED\)\.$/],
    ['PayPal says RETURNED', /\(RETURNED\)\.$/],
  ])('%s', (reason, text) => {
    expect(reasonText(reason)).toMatch(text)
  })

  it.each([
    'PayPal says NEWSTATUS',
    'PayPal says FAILED: no funds',
    'The bank refused it',
    '',
    'PayPal says constructor',
  ])('stays as it is: "%s"', reason => {
    expect(reasonText(reason)).toBe(reason)
  })
})

describe('the next step', () => {
  const tried = { status: 'intended', problem: 'PayPal rejected the credentials' }
  const queued = { status: 'intended', problem: null }
  const payout = {
    status: 'processing',
    rail: 'paypal',
    unbooked: 0,
    by_hand: 0,
    unsent: 2,
    has_paypal: true,
    submissions: [tried],
  }

  it.each([
    ['not_sent', {}],
    [undefined, { submissions: [queued] }],
    [undefined, { unsent: 0, submissions: [{ ...tried, status: 'accepted' }] }],
    [undefined, { unbooked: 1 }],
    ['unknown_outcome', { by_hand: 1 }],
    ['pay_from_file', { rail: 'manual', by_hand: 2, submissions: [] }],
    ['download_file', { rail: 'manual', status: 'pending', submissions: [] }],
    ['send_to_paypal', { status: 'pending', submissions: [] }],
    ['connect_paypal', { status: 'pending', has_paypal: false, submissions: [] }],
    [undefined, { status: 'paid', unsent: 0 }],
  ])('is %s: %j', (step, changes) => {
    expect(nextStepOf({ ...payout, ...changes } as never)).toBe(step)
  })
})

describe('a batch at PayPal', () => {
  const batch = {
    status: 'accepted',
    attempts: 1,
    sender_batch_id: 'trib-7-1',
    account_changed: false,
  } as never
  const textOf = (changes: object, hasEnded = false) =>
    submissionText({ ...(batch as object), ...changes } as never, hasEnded)

  it.each([
    [{ status: 'intended', attempts: 0 }, 'Queued'],
    [{ status: 'intended', attempts: 2 }, 'Sending'],
    [{ status: 'accepted' }, 'Accepted'],
    [{ status: 'refused' }, 'Not sent'],
    [{ status: 'unclear' }, 'Unknown'],
    // Nothing is checked with another account, whatever was known before.
    [{ status: 'accepted', account_changed: true }, 'PayPal account changed'],
    [{ status: 'unclear', account_changed: true }, 'PayPal account changed'],
  ])('%j is "%s"', (changes, title) => {
    expect(textOf(changes).title).toBe(title)
  })

  it('is named where the user has to find it', () => {
    expect(textOf({ status: 'unclear' }).meaning).toContain('trib-7-1')
    expect(textOf({ account_changed: true }).meaning).toContain('trib-7-1')
  })

  it('is still checked for returned payments once it has ended', () => {
    expect(textOf({}, true).meaning).not.toBe(textOf({}, false).meaning)
  })
})

describe('a decision applies to', () => {
  const item = (id: number, name: string | null = 'Ada') => ({
    id,
    name,
    email: 'ada@example.com',
    amount_minor: 1250,
    currency: 'USD',
  })
  const about = (items: ReturnType<typeof item>[] | undefined, left = 1200) =>
    decidedAbout('USD', items, left)

  it('one payment, by name or address', () => {
    expect(about([item(7)])).toBe(`${money(1250, 'USD')} to Ada (payment 7).`)
    expect(about([item(7, null)])).toBe(`${money(1250, 'USD')} to ada@example.com (payment 7).`)
  })

  it('several, with their total', () => {
    expect(about([item(7), item(8)])).toBe(`2 payments totaling ${money(2500, 'USD')}.`)
  })

  it('all that are left', () => {
    expect(about(undefined)).toBe(`All ${texts.payments(1200)} that remain.`)
    expect(about(undefined, 1)).toBe('The 1 remaining payment.')
  })
})

it('what was never sent is left to mark as failed, not as paid', () => {
  const payout = { by_hand: 3, unsent: 2 }
  expect([leftToMark(payout, 'paid'), leftToMark(payout, 'failed')]).toEqual([3, 5])
})

it('has text for every payout method on offer', () => {
  const { methodNotes } = texts.create
  expect(offeredRails.filter(rail => !sharedTexts.payoutMethods[rail] || !methodNotes[rail])).toEqual([])
})
