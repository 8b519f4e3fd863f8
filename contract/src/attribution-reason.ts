import { Type } from 'typebox'
import { closed, Id, oneOf, Timestamp } from './fields.ts'

const sources = ['coupon', 'click', 'token'] as const

/** What a valid candidate lost to. */
export interface BeatenBy {
  source: (typeof sources)[number]
  /** The winning click, and whether it won as the later or the earlier one. */
  click_id?: number
  order?: 'later' | 'earlier'
}

/** Why a piece of evidence is credited or isn't: a code with its parameters, rendered to text where it is shown. */
export type CandidateReason = (
  | { code: 'not_enrolled' | 'affiliate_pending' | 'affiliate_rejected' | 'click_unknown' }
  | { code: 'coupon_unknown' | 'coupon_matched'; coupon_code: string }
  | { code: 'token_unknown' | 'token_matched'; token: string }
  | { code: 'other_campaign'; campaign_id: number }
  | { code: 'click_after_conversion'; age_ms: number }
  | { code: 'inside_window' | 'outside_window'; age_ms: number; window_days: number }
  | { code: 'approved_later'; approved_at: string }
  /** The campaign was paused or archived when the conversion, or the click, happened. */
  | { code: 'campaign_stopped' | 'click_while_stopped'; status: 'paused' | 'archived' }
) & { beaten_by?: BeatenBy }

/** Why a conversion was credited to an affiliate, or to none. */
export type ConversionReason =
  | { code: 'last_click' | 'first_click'; age_ms: number; window_days: number }
  | { code: 'coupon_matched'; coupon_code: string }
  | { code: 'token_matched'; token: string }
  | { code: 'no_evidence' | 'no_valid_candidate' }
  /** The only candidate is not valid. */
  | { code: 'not_valid'; because: CandidateReason }
  | { code: 'campaign_stopped'; status: 'paused' | 'archived' }
  | {
      code: 'credited_on_approval'
      approved_at: string
      window_days: number
      /** Why the first sale earned no commission nevertheless. */
      first_sale_refused?: string
    }
  /** A person chose the affiliate. */
  | { code: 'credited_manually'; credited_at: string; note: string }

const parameters = {
  coupon_code: Type.Optional(Type.String()),
  token: Type.Optional(Type.String()),
  campaign_id: Type.Optional(Id),
  age_ms: Type.Optional(Type.Integer()),
  window_days: Type.Optional(Type.Integer()),
  approved_at: Type.Optional(Timestamp),
  status: Type.Optional(oneOf(['paused', 'archived'])),
}

const candidateReason = closed({
  code: oneOf([
    'not_enrolled',
    'affiliate_pending',
    'affiliate_rejected',
    'click_unknown',
    'coupon_unknown',
    'coupon_matched',
    'token_unknown',
    'token_matched',
    'other_campaign',
    'click_after_conversion',
    'inside_window',
    'outside_window',
    'approved_later',
    'campaign_stopped',
    'click_while_stopped',
  ] satisfies CandidateReason['code'][]),
  ...parameters,
  beaten_by: Type.Optional(
    closed({
      source: oneOf(sources),
      click_id: Type.Optional(Id),
      order: Type.Optional(oneOf(['later', 'earlier'])),
    }),
  ),
})

/** Closed schemas for both; the code determines which parameters are present. */
export const CandidateReason = Type.Unsafe<CandidateReason>(candidateReason)
export const ConversionReason = Type.Unsafe<ConversionReason>(
  closed({
    code: oneOf([
      'last_click',
      'first_click',
      'coupon_matched',
      'token_matched',
      'no_evidence',
      'no_valid_candidate',
      'not_valid',
      'campaign_stopped',
      'credited_on_approval',
      'credited_manually',
    ] satisfies ConversionReason['code'][]),
    ...parameters,
    because: Type.Optional(candidateReason),
    first_sale_refused: Type.Optional(Type.String()),
    credited_at: Type.Optional(Timestamp),
    note: Type.Optional(Type.String()),
  }),
)
