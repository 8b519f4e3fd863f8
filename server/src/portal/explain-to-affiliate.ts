import type { CandidateReason } from '@tributary/contract'
import type { ExplainedAttribution } from '@tributary/contract/dashboard'
import type { PortalReferralDetail } from '@tributary/contract/portal'

/** Another affiliate's click is not theirs to know of: what beat one of theirs is shown without its number. */
function ownReason(why: CandidateReason): CandidateReason {
  if (!why.beaten_by) return why
  const { click_id: _, ...beaten_by } = why.beaten_by
  return { ...why, beaten_by }
}

/** Why a referral is theirs, for the affiliate: all the evidence, but of others only that there was some. */
export const explainToAffiliate = (
  attribution: ExplainedAttribution,
  affiliateId: number,
): Pick<PortalReferralDetail, 'model' | 'window_days' | 'candidates'> => ({
  model: attribution.model as PortalReferralDetail['model'],
  window_days: attribution.window_days,
  candidates: attribution.candidates.map(({ source, affiliate_id, clicked_at, outcome, reason, why }) => {
    const seen = { source, clicked_at, outcome }
    if (affiliate_id !== affiliateId) return { ...seen, is_mine: false, reason: null }
    return why
      ? { ...seen, is_mine: true, why: ownReason(why), reason: null }
      : { ...seen, is_mine: true, reason }
  }),
})
