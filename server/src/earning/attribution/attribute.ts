import type { Attribution, AttributionCandidate } from '@tributary/contract'
import { DAY_MS } from '../../kit/timestamp.ts'

/** An affiliate as the evidence names it. */
export interface NamedAffiliate {
  id: number
  status: 'pending' | 'approved' | 'rejected'
  isEnrolled: boolean
}

export interface ClickEvidence {
  id: number
  campaignId: number
  clickedAt: string
  affiliate: NamedAffiliate
}

export interface Evidence {
  campaign: { id: number; model: 'last_click' | 'first_click'; windowDays: number }
  occurredAt: string
  /** Every click known of this visitor, in any order. Undefined where the report named none. */
  clicks: ClickEvidence[]
  /** The click id that the report named and that does not exist. */
  unknownClickId?: number | undefined
  coupon?: { code: string; affiliate: NamedAffiliate | undefined } | undefined
  token?: { token: string; affiliate: NamedAffiliate | undefined } | undefined
}

const notApproved = (status: NamedAffiliate['status']) =>
  `the affiliate is ${status}, and only approved ones are credited`

/** Why an affiliate cannot be credited; undefined when it can. The status comes last: of a pending one nothing else is wrong. */
function ineligible({ status, isEnrolled }: NamedAffiliate): string | undefined {
  if (!isEnrolled) return 'the affiliate is not enrolled in this campaign'
  return status === 'approved' ? undefined : notApproved(status)
}

/** A pending affiliate that would have been credited, and which of the candidates it is: of several the first one wins. */
export interface PendingCandidate {
  affiliateId: number
  place: number
}

/** The affiliates that were dropped only because they are pending, each once. */
export function pendingCandidates(candidates: AttributionCandidate[]): PendingCandidate[] {
  const found = new Map<number, PendingCandidate>()
  for (const [place, { affiliate_id: affiliateId, reason }] of candidates.entries())
    if (affiliateId !== null && reason === notApproved('pending') && !found.has(affiliateId))
      found.set(affiliateId, { affiliateId, place })
  return [...found.values()]
}

/** The explanation of a conversion that is credited later, when its pending candidate is approved. */
export function creditedOnApproval(attribution: Attribution, place: number, approvedAt: string): Attribution {
  const winner = attribution.candidates[place]
  if (!winner) throw new Error(`The explanation has no candidate ${place}.`)
  const later = `pending at the conversion, and approved on ${approvedAt.slice(0, 10)}`
  return {
    ...attribution,
    affiliate_id: winner.affiliate_id,
    reason: `Credited when the affiliate was approved: it was ${later}, within the attribution window of ${attribution.window_days} days.`,
    candidates: attribution.candidates.map((candidate, at) =>
      at === place ? { ...candidate, outcome: 'won', reason: `the affiliate was ${later}` } : candidate,
    ),
  }
}

const days = (milliseconds: number) => `${(milliseconds / DAY_MS).toFixed(3)} days`

/** Why a click does not count; undefined when it does. The window's last millisecond still counts. */
function outsideWindow(click: ClickEvidence, { campaign, occurredAt }: Evidence): string | undefined {
  if (click.campaignId !== campaign.id)
    return `the click belongs to campaign ${click.campaignId}, not ${campaign.id}`
  const age = Date.parse(occurredAt) - Date.parse(click.clickedAt)
  if (age < 0) return `the click came ${days(-age)} after the conversion`
  if (age > campaign.windowDays * DAY_MS)
    return `the click is ${days(age)} old at the conversion, and the window is ${campaign.windowDays} days`
  return undefined
}

function judgeCoupon({ coupon }: Evidence): AttributionCandidate[] {
  if (!coupon) return []
  const base = { source: 'coupon' as const, click_id: null, clicked_at: null }
  if (!coupon.affiliate)
    return [
      {
        ...base,
        affiliate_id: null,
        outcome: 'dropped',
        reason: `no affiliate has the coupon code "${coupon.code}"`,
      },
    ]
  const reason = ineligible(coupon.affiliate)
  const affiliate_id = coupon.affiliate.id
  if (reason) return [{ ...base, affiliate_id, outcome: 'dropped', reason }]
  return [
    {
      ...base,
      affiliate_id,
      outcome: 'lost',
      reason: `the coupon code "${coupon.code}" belongs to the affiliate`,
    },
  ]
}

function judgeToken({ token }: Evidence): AttributionCandidate[] {
  if (!token) return []
  const base = { source: 'token' as const, click_id: null, clicked_at: null }
  if (!token.affiliate)
    return [
      {
        ...base,
        affiliate_id: null,
        outcome: 'dropped',
        reason: `no affiliate has the token "${token.token}"`,
      },
    ]
  const reason = ineligible(token.affiliate)
  const affiliate_id = token.affiliate.id
  if (reason) return [{ ...base, affiliate_id, outcome: 'dropped', reason }]
  return [
    {
      ...base,
      affiliate_id,
      outcome: 'lost',
      reason: `the report names the affiliate by its token "${token.token}"`,
    },
  ]
}

/** Clicks in the order in which they win: by time as the model says, and by id where two came at the same millisecond. */
function judgeClicks(evidence: Evidence): AttributionCandidate[] {
  const { campaign, occurredAt } = evidence
  const newestFirst = campaign.model === 'last_click' ? 1 : -1
  const ordered = [...evidence.clicks].sort(
    (a, b) => newestFirst * (Date.parse(b.clickedAt) - Date.parse(a.clickedAt) || b.id - a.id),
  )
  const judged = ordered.map((click): AttributionCandidate => {
    const base = {
      source: 'click' as const,
      affiliate_id: click.affiliate.id,
      click_id: click.id,
      clicked_at: click.clickedAt,
    }
    const reason = outsideWindow(click, evidence) ?? ineligible(click.affiliate)
    if (reason) return { ...base, outcome: 'dropped', reason }
    const age = Date.parse(occurredAt) - Date.parse(click.clickedAt)
    return {
      ...base,
      outcome: 'lost',
      reason: `${days(age)} before the conversion, within ${campaign.windowDays} days`,
    }
  })
  if (evidence.unknownClickId === undefined) return judged
  const unknown = {
    source: 'click' as const,
    affiliate_id: null,
    click_id: evidence.unknownClickId,
    clicked_at: null,
  }
  return [
    ...judged,
    { ...unknown, outcome: 'dropped', reason: 'there is no such click, or it is no longer kept' },
  ]
}

const beatenBy: Record<
  AttributionCandidate['source'],
  (winner: AttributionCandidate, model: string) => string
> = {
  coupon: () => 'a coupon code beats everything else',
  click: (winner, model) => `under ${model} the click ${winner.click_id} comes first`,
  token: () => 'it is named otherwise',
}

/**
 * Decides who gets the credit, and says why. One written rule: a coupon code that belongs to an affiliate beats clicks; among
 * clicks the model decides; a token named by the report counts where neither is there. Only approved affiliates that are
 * enrolled in the campaign can win.
 */
export function attribute(evidence: Evidence): Omit<Attribution, 'review'> {
  const { campaign } = evidence
  // In the order in which they win.
  const judged = [...judgeCoupon(evidence), ...judgeClicks(evidence), ...judgeToken(evidence)]
  const winner = judged.find(({ outcome }) => outcome !== 'dropped')
  const candidates = judged.map((candidate): AttributionCandidate => {
    if (!winner || candidate.outcome === 'dropped') return candidate
    if (candidate === winner) return { ...candidate, outcome: 'won' }
    return {
      ...candidate,
      reason: `${candidate.reason}; but ${beatenBy[winner.source](winner, campaign.model)}`,
    }
  })
  return {
    affiliate_id: winner?.affiliate_id ?? null,
    reason: explain(winner, judged, campaign.model),
    model: campaign.model,
    window_days: campaign.windowDays,
    candidates,
  }
}

function explain(
  winner: AttributionCandidate | undefined,
  judged: AttributionCandidate[],
  model: string,
): string {
  if (winner?.source === 'click')
    return `The ${model === 'last_click' ? 'last' : 'first'} valid click wins: ${winner.reason}.`
  if (winner) return `${winner.reason[0]?.toUpperCase()}${winner.reason.slice(1)}.`
  if (judged.length === 0) return 'The report names no click, coupon code or token.'
  const [only] = judged
  return judged.length === 1 && only
    ? `Nobody is credited: ${only.reason}.`
    : 'Nobody is credited: no candidate is valid.'
}
