/** Every reason code has its own text for merchants and for affiliates, and fits its closed schema. */
import { Value } from 'typebox/value'
import { expect, it } from 'vitest'
import { CandidateReason, ConversionReason } from './attribution-reason.ts'
import { candidateText, conversionText } from './attribution-text.ts'
import { reasonText } from './portal/texts/en/attribution.ts'

const DAY = 86_400_000
const approved_at = '2026-04-02T08:00:00.000Z'

// biome-ignore format: a table is read row by row.
const candidates: [CandidateReason, merchant: string, affiliate: string][] = [
  [{ code: 'not_enrolled' }, 'The affiliate is not enrolled in this campaign', "You weren't in this campaign"],
  [{ code: 'affiliate_pending' }, 'The affiliate is pending; only approved affiliates are credited', "You weren't approved yet"],
  [{ code: 'affiliate_rejected' }, 'The affiliate is rejected; only approved affiliates are credited', 'Your application was rejected'],
  [{ code: 'click_unknown' }, 'Click not found; it may have passed its retention period', 'Not assigned to an affiliate'],
  [{ code: 'coupon_unknown', coupon_code: 'A' }, 'No affiliate has coupon code "A"', 'Not assigned to an affiliate'],
  [{ code: 'coupon_matched', coupon_code: 'A' }, 'Coupon code "A" belongs to this affiliate', 'Your coupon code "A" was used'],
  [{ code: 'token_unknown', token: 't' }, 'No affiliate has token "t"', 'Not assigned to an affiliate'],
  [{ code: 'token_matched', token: 't' }, 'Token "t" belongs to this affiliate', 'The company named you as the referrer'],
  [{ code: 'token_matched', token: 't', beaten_by: { source: 'click' } }, 'Token "t" belongs to this affiliate; a click takes precedence', 'The company named you as the referrer; a click is credited instead'],
  [{ code: 'other_campaign', campaign_id: 2 }, 'The click belongs to campaign 2', 'The click was for another campaign'],
  [{ code: 'click_after_conversion', age_ms: 2 * DAY }, 'Clicked 2 days after the conversion', 'Clicked 2 days after the purchase'],
  [{ code: 'inside_window', age_ms: 30 * DAY, window_days: 30 }, 'Clicked 30 days before the conversion, within the 30-day window', 'Clicked 30 days before the purchase, within the 30-day window'],
  [{ code: 'inside_window', age_ms: DAY, window_days: 30, beaten_by: { source: 'click', click_id: 7, order: 'later' } }, 'Clicked 1 day before the conversion, within the 30-day window; click 7 was later', 'Clicked 1 day before the purchase, within the 30-day window; a later click is credited instead'],
  [{ code: 'inside_window', age_ms: DAY, window_days: 30, beaten_by: { source: 'click', click_id: 7, order: 'earlier' } }, 'Clicked 1 day before the conversion, within the 30-day window; click 7 was earlier', 'Clicked 1 day before the purchase, within the 30-day window; an earlier click is credited instead'],
  [{ code: 'inside_window', age_ms: DAY, window_days: 30, beaten_by: { source: 'coupon' } }, 'Clicked 1 day before the conversion, within the 30-day window; a coupon code takes precedence', 'Clicked 1 day before the purchase, within the 30-day window; a coupon code is credited instead'],
  [{ code: 'outside_window', age_ms: 45 * DAY, window_days: 30 }, 'Clicked 45 days before the conversion, outside the 30-day window', 'Clicked 45 days before the purchase, outside the 30-day window'],
  [{ code: 'outside_window', age_ms: 30 * DAY + 1, window_days: 30 }, 'Clicked just over 30 days before the conversion, outside the 30-day window', 'Clicked just over 30 days before the purchase, outside the 30-day window'],
  [{ code: 'approved_later', approved_at }, 'The affiliate was pending at the conversion and approved on 2026-04-02', 'You were approved on Apr 2, 2026, after the purchase'],
  [{ code: 'campaign_stopped', status: 'paused' }, 'The campaign was paused at the conversion', 'The campaign was paused at the purchase'],
  [{ code: 'click_while_stopped', status: 'archived' }, 'Clicked while the campaign was archived', 'Clicked while the campaign was archived'],
]

it.each(candidates)('%j', (reason, merchant, affiliate) => {
  expect(Value.Check(CandidateReason, reason)).toBe(true)
  expect([candidateText(reason), reasonText(reason)]).toEqual([merchant, affiliate])
})

// biome-ignore format: a table is read row by row.
const conversions: [ConversionReason, string][] = [
  [{ code: 'last_click', age_ms: DAY, window_days: 30 }, 'Credited to the last valid click: 1 day before the conversion, within the 30-day window.'],
  [{ code: 'first_click', age_ms: DAY, window_days: 30 }, 'Credited to the first valid click: 1 day before the conversion, within the 30-day window.'],
  [{ code: 'coupon_matched', coupon_code: 'A' }, 'Credited by coupon code "A".'],
  [{ code: 'token_matched', token: 't' }, 'Credited by token "t".'],
  [{ code: 'no_evidence' }, 'Unattributed: no click, coupon code or token was sent.'],
  [{ code: 'no_valid_candidate' }, 'Unattributed: none of the candidates is valid.'],
  [{ code: 'not_valid', because: { code: 'not_enrolled' } }, 'Unattributed: the affiliate is not enrolled in this campaign.'],
  [{ code: 'campaign_stopped', status: 'paused' }, 'Unattributed: the campaign was paused at the conversion.'],
  [{ code: 'credited_on_approval', approved_at, window_days: 30 }, 'Credited on approval: the affiliate was pending at the conversion and approved on 2026-04-02, within the 30-day window.'],
  [{ code: 'credited_on_approval', approved_at, window_days: 30, first_sale_refused: 'Too large.' }, 'Credited on approval: the affiliate was pending at the conversion and approved on 2026-04-02, within the 30-day window. The first sale earned no commission: Too large.'],
  [{ code: 'credited_manually', credited_at: approved_at, note: 'Phone call' }, 'Credited manually on 2026-04-02: Phone call'],
]

it.each(conversions)('%j', (reason, words) => {
  expect(Value.Check(ConversionReason, reason)).toBe(true)
  expect(conversionText(reason)).toBe(words)
})

it('every code is among them', () => {
  const codesOf = (schema: object) =>
    (schema as { properties: { code: { enum: string[] } } }).properties.code.enum
  expect(new Set(candidates.map(([{ code }]) => code))).toEqual(new Set(codesOf(CandidateReason)))
  expect(new Set(conversions.map(([{ code }]) => code))).toEqual(new Set(codesOf(ConversionReason)))
})
