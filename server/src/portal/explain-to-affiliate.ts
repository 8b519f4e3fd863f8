import type { CandidateReason } from '@tributary/contract'
import type { ExplainedAttribution } from '@tributary/contract/dashboard'
import type { PortalReferralDetail } from '@tributary/contract/portal'

/** Another affiliate's click id is not disclosed: the winner over one of theirs is shown without it. */
function ownReason(why: CandidateReason): CandidateReason {
  if (!why.beaten_by) return why
  const { click_id: _, ...beaten_by } = why.beaten_by
  return { ...why, beaten_by }
}

/** Why a referral is credited to the affiliate. Other affiliates' evidence is listed, but not whose it is or why it lost. */
export const explainToAffiliate = (
  attribution: ExplainedAttribution,
  affiliateId: number,
): Pick<PortalReferralDetail, 'model' | 'window_days' | 'candidates' | 'is_credited_manually'> => ({
  model: attribution.model as PortalReferralDetail['model'],
  window_days: attribution.window_days,
  is_credited_manually: attribution.why?.code === 'credited_manually',
  candidates: attribution.candidates.map(({ source, affiliate_id, clicked_at, outcome, reason, why }) => {
    const seen = { source, clicked_at, outcome }
    if (affiliate_id !== affiliateId) return { ...seen, is_mine: false, reason: null }
    return why
      ? { ...seen, is_mine: true, why: ownReason(why), reason: null }
      : { ...seen, is_mine: true, reason }
  }),
})
