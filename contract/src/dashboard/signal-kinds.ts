/** Without schemas, as the pages import it too. */
export const signalKinds = [
  'click_velocity',
  'conversion_rate',
  'shared_network',
  'shared_payout_address',
  'disposable_email',
  'paid_search',
  'instant_sales',
] as const
export type SignalKind = (typeof signalKinds)[number]

/** What a part of a score is about; pages render it to text. */
export const signalFacts = [
  'clicks_in_day',
  'few_visitors',
  'rate_of_others',
  'conversions_counted',
  'accounts_on_network',
  'accounts_paid_to_address',
  'disposable_domain',
  'disposable_payout_domain',
  'paid_clicks',
  'paid_share',
  'instant_sales',
  'instant_share',
] as const
export type SignalFact = (typeof signalFacts)[number]

/** One part of a score: what was found, out of how many, what is usual, and the points it adds. */
export interface SignalPart {
  fact: SignalFact
  points: number
  value: number
  of: number | null
  usual: number | null
  /** A day, a domain or a parameter's name. */
  text: string | null
}

export const signalDecisions = ['hold', 'reject', 'block', 'dismiss'] as const
export type SignalDecision = (typeof signalDecisions)[number]

/** A signal's referrals in review are counted up to this number. */
export const MOST_IN_REVIEW = 1000
