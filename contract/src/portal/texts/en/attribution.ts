import type { CandidateReason } from '../../../attribution-reason.ts'
import { ageText } from '../../../attribution-text.ts'
import { duration } from '../../../duration.ts'
import { date } from './units.ts'

function own(reason: CandidateReason): string {
  switch (reason.code) {
    case 'not_enrolled':
      return "You weren't in this campaign"
    case 'affiliate_pending':
      return "You weren't approved yet"
    case 'affiliate_rejected':
      return 'Your application was rejected'
    case 'coupon_matched':
      return `Your coupon code "${reason.coupon_code}" was used`
    case 'token_matched':
      return 'The company named you as the referrer'
    case 'other_campaign':
      return 'The click was for another campaign'
    case 'click_after_conversion':
      return `Clicked ${duration(reason.age_ms)} after the purchase`
    case 'inside_window':
      return `Clicked ${duration(reason.age_ms)} before the purchase, within the ${reason.window_days}-day window`
    case 'outside_window':
      return `Clicked ${ageText(reason.age_ms, reason.window_days)} before the purchase, outside the ${reason.window_days}-day window`
    case 'approved_later':
      return `You were approved on ${date(reason.approved_at)}, after the purchase`
    case 'campaign_stopped':
      return `The campaign was ${reason.status} at the purchase`
    case 'click_while_stopped':
      return `Clicked while the campaign was ${reason.status}`
    case 'coupon_unknown':
    case 'token_unknown':
    case 'click_unknown':
      return 'Not assigned to an affiliate'
  }
}

/** For affiliates: why their evidence is credited or isn't. */
export function reasonText(reason: CandidateReason): string {
  const { beaten_by } = reason
  if (!beaten_by) return own(reason)
  const winner = beaten_by.order
    ? `${beaten_by.order === 'earlier' ? 'an earlier' : 'a later'} click`
    : `a ${beaten_by.source === 'coupon' ? 'coupon code' : 'click'}`
  return `${own(reason)}; ${winner} is credited instead`
}
