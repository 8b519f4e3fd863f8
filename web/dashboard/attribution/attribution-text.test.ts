import { expect, it } from 'vitest'
import {
  decisionText,
  evidenceText,
  flagText,
  reasonText,
  sentence,
  unattributedText,
} from './attribution-text.ts'

it.each([
  ['the coupon code wins', 'The coupon code wins.'],
  ['Ends with a stop.', 'Ends with a stop.'],
  ['the campaign is last_click, not first_click', 'The campaign is last click, not first click.'],
  ['my_last_click_id stays', 'My_last_click_id stays.'],
  ['at_first_click stays too', 'At_first_click stays too.'],
  ['', '.'],
])('"%s" becomes "%s"', (text, shown) => {
  expect(sentence(text)).toBe(shown)
})

it.each([
  ['coupon', null, 'Coupon code'],
  ['token', null, 'Token'],
  ['click', 7, 'Click 7'],
])('the evidence of a candidate by %s %s', (source, click_id, text) => {
  expect(evidenceText({ source, click_id })).toBe(text)
})

it('renders reason codes, and keeps the stored sentence of a decision without one', () => {
  const coded = { why: { code: 'no_evidence' as const }, reason: 'of its time' }
  expect(decisionText(coded)).toBe('Unattributed: no click, coupon code or token was sent.')
  expect(unattributedText(coded)).toBe('No click, coupon code or token was sent.')
  expect(decisionText({ reason: 'of its time' })).toBe('Of its time.')
  expect(reasonText({ why: { code: 'token_unknown', token: 't' }, reason: 'of its time' })).toBe(
    'No affiliate has token "t".',
  )
  expect(reasonText({ reason: 'of its time' })).toBe('Of its time.')
})

it('explains known flags, and shows unknown ones as they are stored', () => {
  expect(flagText('the campaign reviews every referral')).toBe(
    'This campaign requires manual review of every referral.',
  )
  expect(flagText('a rule of tomorrow')).toBe('A rule of tomorrow.')
  expect(flagText('constructor')).toBe('Constructor.')
})
