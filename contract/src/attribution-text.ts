import type { BeatenBy, CandidateReason, ConversionReason } from './attribution-reason.ts'
import { duration } from './duration.ts'

const DAY_MS = 86_400_000
const day = (time: string) => time.slice(0, 10)

/** Time before the conversion. A click that just missed the window must not read as if it were inside it. */
export const ageText = (ageMs: number, windowDays: number) =>
  ageMs > windowDays * DAY_MS && Math.floor(ageMs / DAY_MS) === windowDays
    ? `just over ${duration(ageMs)}`
    : duration(ageMs)

function beaten({ source, click_id, order }: BeatenBy): string {
  if (order) return `click ${click_id} was ${order}`
  return source === 'coupon' ? 'a coupon code takes precedence' : `a ${source} takes precedence`
}

function candidate(reason: CandidateReason): string {
  switch (reason.code) {
    case 'not_enrolled':
      return 'The affiliate is not enrolled in this campaign'
    case 'affiliate_pending':
      return 'The affiliate is pending; only approved affiliates are credited'
    case 'affiliate_rejected':
      return 'The affiliate is rejected; only approved affiliates are credited'
    case 'click_unknown':
      return 'Click not found; it may have passed its retention period'
    case 'coupon_unknown':
      return `No affiliate has coupon code "${reason.coupon_code}"`
    case 'coupon_matched':
      return `Coupon code "${reason.coupon_code}" belongs to this affiliate`
    case 'token_unknown':
      return `No affiliate has token "${reason.token}"`
    case 'token_matched':
      return `Token "${reason.token}" belongs to this affiliate`
    case 'other_campaign':
      return `The click belongs to campaign ${reason.campaign_id}`
    case 'click_after_conversion':
      return `Clicked ${duration(reason.age_ms)} after the conversion`
    case 'inside_window':
      return `Clicked ${duration(reason.age_ms)} before the conversion, within the ${reason.window_days}-day window`
    case 'outside_window':
      return `Clicked ${ageText(reason.age_ms, reason.window_days)} before the conversion, outside the ${reason.window_days}-day window`
    case 'approved_later':
      return `The affiliate was pending at the conversion and approved on ${day(reason.approved_at)}`
    case 'campaign_stopped':
      return `The campaign was ${reason.status} at the conversion`
    case 'click_while_stopped':
      return `Clicked while the campaign was ${reason.status}`
  }
}

/** For merchants: why a piece of evidence is credited or isn't. */
export const candidateText = (reason: CandidateReason): string =>
  reason.beaten_by ? `${candidate(reason)}; ${beaten(reason.beaten_by)}` : candidate(reason)

const uncapitalized = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

/** For merchants: why a conversion was credited to an affiliate, or to none. */
export function conversionText(reason: ConversionReason): string {
  switch (reason.code) {
    case 'last_click':
    case 'first_click':
      return `Credited to the ${reason.code === 'last_click' ? 'last' : 'first'} valid click: ${duration(reason.age_ms)} before the conversion, within the ${reason.window_days}-day window.`
    case 'coupon_matched':
      return `Credited by coupon code "${reason.coupon_code}".`
    case 'token_matched':
      return `Credited by token "${reason.token}".`
    case 'no_evidence':
      return 'Unattributed: no click, coupon code or token was sent.'
    case 'no_valid_candidate':
      return 'Unattributed: none of the candidates is valid.'
    case 'not_valid':
      return `Unattributed: ${uncapitalized(candidateText(reason.because))}.`
    case 'campaign_stopped':
      return `Unattributed: the campaign was ${reason.status} at the conversion.`
    case 'credited_on_approval': {
      const credited = `Credited on approval: the affiliate was pending at the conversion and approved on ${day(reason.approved_at)}, within the ${reason.window_days}-day window.`
      return reason.first_sale_refused === undefined
        ? credited
        : `${credited} The first sale earned no commission: ${reason.first_sale_refused}`
    }
    case 'credited_manually':
      return `Credited manually on ${day(reason.credited_at)}: ${reason.note}`
  }
}
