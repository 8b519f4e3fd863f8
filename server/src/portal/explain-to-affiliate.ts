import type { Attribution } from '@tributary/contract'
import type { PortalReferralDetail } from '@tributary/contract/portal'

/** Why a referral is theirs, for the affiliate: all the evidence, but of others only that there was some. */
export const explainToAffiliate = (
  attribution: Attribution,
  affiliateId: number,
): Pick<PortalReferralDetail, 'model' | 'window_days' | 'candidates'> => ({
  model: attribution.model as PortalReferralDetail['model'],
  window_days: attribution.window_days,
  candidates: attribution.candidates.map(({ source, affiliate_id, clicked_at, outcome, reason }) => {
    const isMine = affiliate_id === affiliateId
    return { source, is_mine: isMine, clicked_at, outcome, reason: isMine ? reason : null }
  }),
})
