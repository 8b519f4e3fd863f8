import type { Attribution, BeatenBy, CandidateReason, ConversionReason } from '@tributary/contract'
import { candidateText, conversionText } from '@tributary/contract/attribution-text'
import type { ExplainedAttribution } from '@tributary/contract/dashboard'
import { DAY_MS } from '../../kit/timestamp.ts'
import type { CampaignStop } from '../../programme/campaigns/campaign-stop.store.ts'

/** An affiliate named by the evidence. */
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
  campaign: {
    id: number
    model: 'last_click' | 'first_click'
    windowDays: number
    /** When it was paused or archived. */
    stops: CampaignStop[]
  }
  occurredAt: string
  /** Every known click of this visitor, in any order. */
  clicks: ClickEvidence[]
  /** The reported click id, if no such click exists. */
  unknownClickId?: number | undefined
  coupon?: { code: string; affiliate: NamedAffiliate | undefined } | undefined
  token?: { token: string; affiliate: NamedAffiliate | undefined } | undefined
}

/** A candidate with its reason's code and the text the API returns for it. */
type Candidate = ExplainedAttribution['candidates'][number]
type Judged = Candidate & { why: CandidateReason }

/** How the campaign was stopped at this time; undefined if it was active. A stop includes its first millisecond and not its last. */
const stoppedAt = ({ stops }: Evidence['campaign'], time: string) =>
  stops.find(
    ({ began_at, ended_at }) =>
      Date.parse(began_at) <= Date.parse(time) &&
      (ended_at === null || Date.parse(time) < Date.parse(ended_at)),
  )?.status

/** Why an affiliate can't be credited; undefined if it can. The status is checked last: `affiliate_pending` means nothing else is wrong. */
function ineligible(
  { status, isEnrolled }: NamedAffiliate,
  { campaign, occurredAt }: Evidence,
): CandidateReason | undefined {
  if (!isEnrolled) return { code: 'not_enrolled' }
  const stopped = stoppedAt(campaign, occurredAt)
  if (stopped) return { code: 'campaign_stopped', status: stopped }
  if (status === 'approved') return undefined
  return { code: status === 'pending' ? 'affiliate_pending' : 'affiliate_rejected' }
}

const because = <T extends Omit<Candidate, 'reason' | 'why'>>(candidate: T, why: CandidateReason) => ({
  ...candidate,
  reason: candidateText(why),
  why,
})

/** A pending affiliate that would have been credited, and the index of its candidate: of several, the first wins. */
export interface PendingCandidate {
  affiliateId: number
  place: number
}

/** The distinct affiliates that were dropped only because they are pending. */
export function pendingCandidates(candidates: Candidate[]): PendingCandidate[] {
  const found = new Map<number, PendingCandidate>()
  for (const [place, { affiliate_id: affiliateId, why }] of candidates.entries())
    if (affiliateId !== null && why?.code === 'affiliate_pending' && !found.has(affiliateId))
      found.set(affiliateId, { affiliateId, place })
  return [...found.values()]
}

/** The explanation of a conversion that is credited later, once its pending candidate is approved. */
export function creditedOnApproval(
  attribution: ExplainedAttribution,
  place: number,
  approved_at: string,
  firstSaleRefused?: string,
): ExplainedAttribution {
  const winner = attribution.candidates[place]
  if (!winner) throw new Error(`The explanation has no candidate ${place}.`)
  const why: ConversionReason = {
    code: 'credited_on_approval',
    approved_at,
    window_days: attribution.window_days,
    ...(firstSaleRefused !== undefined && { first_sale_refused: firstSaleRefused }),
  }
  return {
    ...attribution,
    affiliate_id: winner.affiliate_id,
    reason: conversionText(why),
    why,
    candidates: attribution.candidates.map((candidate, at) =>
      at === place
        ? because({ ...candidate, outcome: 'won' as const }, { code: 'approved_later', approved_at })
        : candidate,
    ),
  }
}

/** The explanation of a conversion that a person credited: its evidence stays as it was judged. */
export function creditedManually(
  attribution: ExplainedAttribution,
  affiliateId: number,
  { credited_at, note }: { credited_at: string; note: string },
): ExplainedAttribution {
  const why: ConversionReason = { code: 'credited_manually', credited_at, note }
  return { ...attribution, affiliate_id: affiliateId, reason: conversionText(why), why }
}

/** The attribution as the API returns it: text, without the codes. */
export const presentAttribution = ({
  why: _,
  candidates,
  ...attribution
}: ExplainedAttribution): Attribution => ({
  ...attribution,
  candidates: candidates.map(({ why: _, ...candidate }) => candidate),
})

const ageAt = (click: ClickEvidence, { occurredAt }: Evidence) =>
  Date.parse(occurredAt) - Date.parse(click.clickedAt)

/** Whether a click counts by campaign and time. The window includes its last millisecond. */
function timing(click: ClickEvidence, evidence: Evidence): CandidateReason & { isValid: boolean } {
  const { id, windowDays: window_days } = evidence.campaign
  if (click.campaignId !== id)
    return { isValid: false, code: 'other_campaign', campaign_id: click.campaignId }
  const age_ms = ageAt(click, evidence)
  if (age_ms < 0) return { isValid: false, code: 'click_after_conversion', age_ms: -age_ms }
  const isValid = age_ms <= window_days * DAY_MS
  // A stop that the conversion itself fell into is the stronger reason, and is named instead.
  const stopped =
    isValid &&
    !stoppedAt(evidence.campaign, evidence.occurredAt) &&
    stoppedAt(evidence.campaign, click.clickedAt)
  if (stopped) return { isValid: false, code: 'click_while_stopped', status: stopped }
  return { isValid, code: isValid ? 'inside_window' : 'outside_window', age_ms, window_days }
}

/** Evidence that names an affiliate directly: if the affiliate is eligible, it loses only to stronger evidence. */
function judgeNamed(
  evidence: Evidence,
  source: 'coupon' | 'token',
  affiliate: NamedAffiliate | undefined,
  reasons: { unknown: CandidateReason; matched: CandidateReason },
): Judged {
  const base = { source, affiliate_id: affiliate?.id ?? null, click_id: null, clicked_at: null }
  const problem = affiliate ? ineligible(affiliate, evidence) : reasons.unknown
  return because(
    { ...base, outcome: problem ? ('dropped' as const) : ('lost' as const) },
    problem ?? reasons.matched,
  )
}

function judgeCoupon(evidence: Evidence): Judged[] {
  const { coupon } = evidence
  if (!coupon) return []
  const { code: coupon_code, affiliate } = coupon
  return [
    judgeNamed(evidence, 'coupon', affiliate, {
      unknown: { code: 'coupon_unknown', coupon_code },
      matched: { code: 'coupon_matched', coupon_code },
    }),
  ]
}

function judgeToken(evidence: Evidence): Judged[] {
  const { token: named } = evidence
  if (!named) return []
  const { token, affiliate } = named
  return [
    judgeNamed(evidence, 'token', affiliate, {
      unknown: { code: 'token_unknown', token },
      matched: { code: 'token_matched', token },
    }),
  ]
}

/** Clicks in order of precedence: by time as the model requires, and by id within the same millisecond. */
function judgeClicks(evidence: Evidence): Judged[] {
  const newestFirst = evidence.campaign.model === 'last_click' ? 1 : -1
  const ordered = [...evidence.clicks].sort(
    (a, b) => newestFirst * (Date.parse(b.clickedAt) - Date.parse(a.clickedAt) || b.id - a.id),
  )
  const judged = ordered.map((click): Judged => {
    const base = {
      source: 'click' as const,
      affiliate_id: click.affiliate.id,
      click_id: click.id,
      clicked_at: click.clickedAt,
    }
    const { isValid, ...timed } = timing(click, evidence)
    const problem = isValid ? ineligible(click.affiliate, evidence) : timed
    return because({ ...base, outcome: problem ? ('dropped' as const) : ('lost' as const) }, problem ?? timed)
  })
  if (evidence.unknownClickId === undefined) return judged
  const unknown = {
    source: 'click' as const,
    affiliate_id: null,
    click_id: evidence.unknownClickId,
    clicked_at: null,
    outcome: 'dropped' as const,
  }
  return [...judged, because(unknown, { code: 'click_unknown' })]
}

/** Between two clicks, time decides; otherwise the kind of evidence does. */
const beatenBy = (winner: Candidate, loser: Candidate, { campaign }: Evidence): BeatenBy =>
  winner.click_id !== null && loser.source === 'click'
    ? {
        source: 'click',
        click_id: winner.click_id,
        order: campaign.model === 'last_click' ? 'later' : 'earlier',
      }
    : { source: winner.source }

/**
 * Decides which affiliate is credited, and explains why. An affiliate's coupon code beats clicks; among clicks the model decides; a
 * reported token counts only without either. Only approved affiliates that are enrolled in the campaign can win, and none while the
 * campaign is paused or archived.
 */
export function attribute(evidence: Evidence): Omit<ExplainedAttribution, 'review'> {
  const { campaign } = evidence
  // In order of precedence.
  const judged = [...judgeCoupon(evidence), ...judgeClicks(evidence), ...judgeToken(evidence)]
  const winner = judged.find(({ outcome }) => outcome !== 'dropped')
  const candidates = judged.map((candidate): Candidate => {
    if (!winner || candidate.outcome === 'dropped') return candidate
    if (candidate === winner) return { ...candidate, outcome: 'won' }
    return because(candidate, { ...candidate.why, beaten_by: beatenBy(winner, candidate, evidence) })
  })
  const why = decision(winner, judged, campaign.model)
  return {
    affiliate_id: winner?.affiliate_id ?? null,
    reason: conversionText(why),
    why,
    model: campaign.model,
    window_days: campaign.windowDays,
    candidates,
  }
}

function decision(
  winner: Judged | undefined,
  judged: Judged[],
  model: Evidence['campaign']['model'],
): ConversionReason {
  switch (winner?.why.code) {
    case 'inside_window':
      return { code: model, age_ms: winner.why.age_ms, window_days: winner.why.window_days }
    case 'coupon_matched':
      return { code: 'coupon_matched', coupon_code: winner.why.coupon_code }
    case 'token_matched':
      return { code: 'token_matched', token: winner.why.token }
  }
  if (winner) throw new Error(`A candidate cannot win by ${winner.why.code}.`)
  for (const { why } of judged)
    if (why.code === 'campaign_stopped') return { code: 'campaign_stopped', status: why.status }
  const [only, ...others] = judged
  if (!only) return { code: 'no_evidence' }
  return others.length === 0 ? { code: 'not_valid', because: only.why } : { code: 'no_valid_candidate' }
}
