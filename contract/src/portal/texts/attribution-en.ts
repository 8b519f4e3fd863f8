import type { CandidateReason } from '../../attribution-reason.ts'
import { ageWords } from '../../attribution-words.ts'
import { duration } from '../../duration.ts'

function own(reason: CandidateReason): string {
  switch (reason.code) {
    case 'not_enrolled':
      return "You weren't in this campaign"
    case 'affiliate_pending':
      return "You weren't approved yet"
    case 'affiliate_rejected':
      return 'Your membership was rejected'
    case 'coupon_matched':
      return `Your code "${reason.coupon_code}" was used`
    case 'token_matched':
      return 'The company named you as the referrer'
    case 'other_campaign':
      return 'The click was for another campaign'
    case 'click_after_conversion':
      return `Clicked ${duration(reason.age_ms)} after the purchase`
    case 'inside_window':
      return `Clicked ${duration(reason.age_ms)} before the purchase, within the ${reason.window_days}-day window`
    case 'outside_window':
      return `Clicked ${ageWords(reason.age_ms, reason.window_days)} before the purchase, outside the ${reason.window_days}-day window`
    case 'approved_later':
      return `You were approved on ${reason.approved_at.slice(0, 10)}, after the purchase`
    case 'coupon_unknown':
    case 'token_unknown':
    case 'click_unknown':
      return 'No partner has it'
  }
}

/** For affiliates: why their evidence counts or doesn't. */
export function reasonWords(reason: CandidateReason): string {
  const { beaten_by } = reason
  if (!beaten_by) return own(reason)
  const winner = beaten_by.order
    ? `${beaten_by.order === 'earlier' ? 'an earlier' : 'a later'} click`
    : `a ${beaten_by.source === 'coupon' ? 'code' : 'click'}`
  return `${own(reason)}; ${winner} counts instead`
}
