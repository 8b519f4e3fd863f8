import { expect, it } from 'vitest'
import { decisionWords, evidence, reasonWords, sentence, unattributedWords } from './sentence.ts'

it.each([
  ['the coupon code wins', 'The coupon code wins.'],
  ['Ends with a stop.', 'Ends with a stop.'],
  ['the campaign is last_click, not first_click', 'The campaign is last click, not first click.'],
  ['my_last_click_id stays', 'My_last_click_id stays.'],
  ['at_first_click stays too', 'At_first_click stays too.'],
  ['', '.'],
])('"%s" becomes "%s"', (text, said) => {
  expect(sentence(text)).toBe(said)
})

it.each([
  ['coupon', null, 'Coupon code'],
  ['token', null, 'Token'],
  ['click', 7, 'Click 7'],
])('a candidate by %s is based on %s', (source, click_id, words) => {
  expect(evidence({ source, click_id })).toBe(words)
})

it('makes its words from the codes, and keeps the sentence of a decision that has none', () => {
  const coded = { why: { code: 'no_evidence' as const }, reason: 'of its time' }
  expect(decisionWords(coded)).toBe('Unattributed: no click, coupon code or token was sent.')
  expect(unattributedWords(coded)).toBe('No click, coupon code or token was sent.')
  expect(decisionWords({ reason: 'of its time' })).toBe('Of its time.')
  expect(reasonWords({ why: { code: 'token_unknown', token: 't' }, reason: 'of its time' })).toBe(
    'No affiliate has token "t".',
  )
  expect(reasonWords({ reason: 'of its time' })).toBe('Of its time.')
})
