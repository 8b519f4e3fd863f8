import { type Static, Type } from 'typebox'
import { Affiliate } from '../affiliate.ts'
import { Count, closed, Id, nullable, oneOf, Timestamp } from '../fields.ts'
import { NamedAffiliate, reasonFields } from './referrals.ts'
import { change, Done, file, pageOf, pageQuery, read } from './schema.ts'
import { signalDecisions, signalFacts, signalKinds } from './signal-kinds.ts'

export const SignalStatus = oneOf(['open', 'decided', 'closed'])

/** A sign of fraud: the parts add up to its score, which is at most 100. */
export const Signal = closed({
  id: Id,
  kind: oneOf(signalKinds),
  status: SignalStatus,
  score: Count,
  parts: Type.Array(
    closed({
      fact: oneOf(signalFacts),
      points: Count,
      value: Type.Number(),
      of: nullable(Type.Number()),
      usual: nullable(Type.Number()),
      text: nullable(Type.String()),
    }),
  ),
  affiliate_id: Id,
  affiliate_name: Affiliate.properties.name,
  affiliate_email: Affiliate.properties.email,
  /** Whether every new referral of the affiliate needs a review. */
  is_held: Type.Boolean(),
  /** Some of the other affiliates that it is about. */
  others: Type.Array(NamedAffiliate),
  /** Null if it is about all campaigns. */
  campaign_id: nullable(Id),
  campaign_name: nullable(Type.String()),
  /** The affiliate's referrals in review, in the campaign if it is about one, counted up to `MOST_IN_REVIEW`. */
  in_review: Count,
  /** The newest of them. */
  newest_in_review: nullable(Id),
  decision: nullable(oneOf(signalDecisions)),
  reason: nullable(Type.String()),
  opened_at: Timestamp,
  decided_at: nullable(Timestamp),
})
export type Signal = Static<typeof Signal>

const filters = {
  status: Type.Optional(SignalStatus),
  kind: Type.Optional(oneOf(signalKinds)),
  affiliate_id: Type.Optional(Id),
}

export const signalsSchemas = {
  /** The highest score first, or the lowest. */
  listSignals: read(pageOf(Signal), closed({ ...pageQuery, ...filters })),
  exportSignals: file(closed(filters)),
  /**
   * Dismisses a signal, or acts on its affiliate: holds new referrals for review, rejects those in review, or blocks the affiliate.
   * `left` says whether more referrals than fit in one request are still in review; the signal is open until they are rejected, too.
   */
  decideSignal: change(
    closed({
      decision: oneOf(signalDecisions),
      /** Only referrals up to this one are rejected: those that the person has seen. */
      up_to_referral_id: Type.Optional(Id),
      ...reasonFields,
    }),
    closed({ rejected: Count, left: Type.Boolean() }),
  ),
  /** Holds an affiliate's new referrals for review, or ends that. */
  holdAffiliate: change(closed({ is_held: Type.Boolean() }), Done),
}
