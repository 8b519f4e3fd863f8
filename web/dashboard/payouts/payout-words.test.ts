/** Protects who pays: what is asked of them says how many and how much, and what to do when an outcome is unknown. */
import { describe, expect, it } from 'vitest'
import { money } from '../../ui/format.ts'
import {
  decidedAbout,
  exclusionWords,
  itemsWords,
  railNotes,
  railWords,
  reasonWords,
  submissionWords,
} from './payout-words.ts'
import { offeredRails } from './payouts.search.ts'

describe('why a payment failed', () => {
  it.each([
    ['PayPal says UNCLAIMED', /^Waits until its receiver claims it.*\(UNCLAIMED\)\.$/],
    ['PayPal says RETURNED', /\(RETURNED\)\.$/],
  ])('%s', (reason, words) => {
    expect(reasonWords(reason)).toMatch(words)
  })

  it.each([
    'PayPal says NEWSTATUS',
    'PayPal says FAILED: no funds',
    'The bank refused it',
    '',
    'PayPal says constructor',
  ])('stays as it is: "%s"', reason => {
    expect(reasonWords(reason)).toBe(reason)
  })
})

describe('a batch at PayPal', () => {
  const batch = {
    status: 'accepted',
    attempts: 1,
    sender_batch_id: 'trib-7-1',
    account_changed: false,
  } as never
  const words = (changes: object, hasEnded = false) =>
    submissionWords({ ...(batch as object), ...changes } as never, hasEnded)

  it.each([
    [{ status: 'intended', attempts: 0 }, 'About to be sent'],
    [{ status: 'intended', attempts: 2 }, 'Being sent'],
    [{ status: 'accepted' }, 'At PayPal'],
    [{ status: 'refused' }, 'Refused'],
    [{ status: 'unclear' }, 'Unclear'],
    // Nothing is asked at another account, whatever was known before.
    [{ status: 'accepted', account_changed: true }, 'Other PayPal account'],
    [{ status: 'unclear', account_changed: true }, 'Other PayPal account'],
  ])('%j is "%s"', (changes, title) => {
    expect(words(changes).title).toBe(title)
  })

  it('is named where a person has to look for it', () => {
    expect(words({ status: 'unclear' }).meaning).toContain('trib-7-1')
    expect(words({ account_changed: true }).meaning).toContain('trib-7-1')
  })

  it('is watched for money that comes back once all is known', () => {
    expect(words({}, true).meaning).not.toBe(words({}, false).meaning)
  })
})

describe('a decision is about', () => {
  const payout = { currency: 'USD', by_hand: 1200 }
  const item = (id: number, name: string | null = 'Ada') => ({
    id,
    name,
    email: 'ada@example.com',
    amount_minor: 1250,
    currency: 'USD',
  })

  it('one payment, by name or address', () => {
    expect(decidedAbout(payout, [item(7)])).toBe(`${money(1250, 'USD')} to Ada, item 7.`)
    expect(decidedAbout(payout, [item(7, null)])).toBe(`${money(1250, 'USD')} to ada@example.com, item 7.`)
  })

  it('several, with their total', () => {
    expect(decidedAbout(payout, [item(7), item(8)])).toBe(`2 items, ${money(2500, 'USD')} in total.`)
  })

  it('all that are left', () => {
    expect(decidedAbout(payout, undefined)).toBe(
      `All ${itemsWords(1200)} of which nothing has been said yet.`,
    )
    expect(itemsWords(1)).toBe('one item')
  })
})

it('has words for every rail on offer and every exclusion', () => {
  expect(offeredRails.filter(rail => !railWords[rail] || !railNotes[rail])).toEqual([])
  const incomplete = Object.values(exclusionWords).filter(words =>
    Object.values(words).some(text => text === ''),
  )
  expect(incomplete).toEqual([])
})
