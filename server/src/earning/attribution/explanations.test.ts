/** Protects the sentences that an affiliate and a merchant read about a credit, and who is remembered for a later approval. */
import type { AttributionCandidate } from '@tributary/contract'
import type { ExplainedAttribution } from '@tributary/contract/dashboard'
import { describe, expect, it } from 'vitest'
import {
  attribute,
  creditedOnApproval,
  type Evidence,
  type NamedAffiliate,
  pendingCandidates,
  presentAttribution,
} from './attribute.ts'

const ann: NamedAffiliate = { id: 11, status: 'approved', isEnrolled: true }
const pending: NamedAffiliate = { id: 14, status: 'pending', isEnrolled: true }
const otherPending: NamedAffiliate = { id: 15, status: 'pending', isEnrolled: true }
const rejected: NamedAffiliate = { id: 16, status: 'rejected', isEnrolled: true }

const CONVERTED = '2026-03-31T12:00:00.000Z'
const dayBefore = { campaignId: 1, clickedAt: '2026-03-30T12:00:00.000Z' }
const dayAfter = { campaignId: 1, clickedAt: '2026-04-01T12:00:00.000Z' }

const evidence = (
  given: Partial<Evidence>,
  model: 'last_click' | 'first_click' = 'last_click',
): Evidence => ({
  campaign: { id: 1, model, windowDays: 30, stops: [] },
  occurredAt: CONVERTED,
  clicks: [],
  ...given,
})

describe('the sentence about a conversion', () => {
  // biome-ignore format: a table is read row by row.
  it.each<[string, Evidence, string]>([
    ['first click', evidence({ clicks: [{ id: 1, affiliate: ann, ...dayBefore }] }, 'first_click'),
      'Credited to the first valid click: 1 day before the conversion, within the 30-day window.'],
    ['coupon', evidence({ coupon: { code: 'SAVE', affiliate: ann } }), 'Credited by coupon code "SAVE".'],
    ['nothing named', evidence({}), 'Unattributed: no click, coupon code or token was sent.'],
    ['one invalid candidate', evidence({ token: { token: 'tok', affiliate: undefined } }),
      'Unattributed: no affiliate has token "tok".'],
    ['several invalid candidates', evidence({ coupon: { code: 'SAVE', affiliate: undefined }, token: { token: 'tok', affiliate: undefined } }),
      'Unattributed: none of the candidates is valid.'],
    ['a paused campaign', { ...evidence({ coupon: { code: 'SAVE', affiliate: ann }, token: { token: 'tok', affiliate: undefined } }), campaign: { id: 1, model: 'last_click', windowDays: 30, stops: [{ status: 'paused', began_at: CONVERTED, ended_at: null }] } },
      'Unattributed: the campaign was paused at the conversion.'],
  ])('%s', (_name, given, sentence) => {
    expect(attribute(given).reason).toBe(sentence)
  })

  it('a dropped candidate keeps its own reason beside a winner', () => {
    const late = { id: 2, affiliate: ann, ...dayAfter }
    const [, click, unknown] = attribute(
      evidence({ coupon: { code: 'SAVE', affiliate: ann }, clicks: [late], unknownClickId: 9 }),
    ).candidates
    expect(click).toMatchObject({
      outcome: 'dropped',
      reason: 'Clicked 1 day after the conversion',
    })
    expect(unknown).toMatchObject({
      outcome: 'dropped',
      reason: 'Click not found; it may have passed its retention period',
    })
  })
})

describe('candidates for a later approval', () => {
  it('are the pending affiliates alone, each at its best place', () => {
    const { candidates } = attribute(
      evidence({
        coupon: { code: 'SAVE', affiliate: undefined },
        clicks: [
          { id: 1, affiliate: pending, ...dayBefore },
          { id: 2, affiliate: rejected, ...dayBefore },
          { id: 3, affiliate: otherPending, ...dayBefore },
          { id: 4, affiliate: pending, ...dayBefore },
        ],
      }),
    )
    expect(pendingCandidates(candidates)).toEqual([
      { affiliateId: pending.id, place: 1 },
      { affiliateId: otherPending.id, place: 2 },
    ])
  })

  it('are none where a pending affiliate is dropped for another reason', () => {
    const { candidates } = attribute(evidence({ clicks: [{ id: 1, affiliate: pending, ...dayAfter }] }))
    expect(pendingCandidates(candidates)).toEqual([])
  })

  it('one that is approved wins, and nothing else in the explanation changes', () => {
    const dropped = (affiliate_id: number): AttributionCandidate => ({
      source: 'token',
      affiliate_id,
      click_id: null,
      clicked_at: null,
      outcome: 'dropped',
      reason: 'pending',
    })
    const before: ExplainedAttribution = {
      affiliate_id: null,
      reason: 'The sentence of its time.',
      model: 'last_click',
      window_days: 30,
      candidates: [dropped(14), dropped(15)],
      review: [],
    }
    expect(creditedOnApproval(before, 1, '2026-04-02T08:00:00.000Z')).toEqual({
      ...before,
      affiliate_id: 15,
      reason:
        'Credited on approval: the affiliate was pending at the conversion and approved on 2026-04-02, within the 30-day window.',
      why: { code: 'credited_on_approval', approved_at: '2026-04-02T08:00:00.000Z', window_days: 30 },
      candidates: [
        dropped(14),
        {
          ...dropped(15),
          outcome: 'won',
          reason: 'The affiliate was pending at the conversion and approved on 2026-04-02',
          why: { code: 'approved_later', approved_at: '2026-04-02T08:00:00.000Z' },
        },
      ],
    })
    expect(creditedOnApproval(before, 1, '2026-04-02T08:00:00.000Z', 'It was refunded.').reason).toMatch(
      /within the 30-day window\. The first sale earned no commission: It was refunded\.$/,
    )
    expect(() => creditedOnApproval(before, 2, '2026-04-02T08:00:00.000Z')).toThrow('no candidate 2')
  })
})

it('the API gets the sentences without the codes', () => {
  const decided = { ...attribute(evidence({ coupon: { code: 'SAVE', affiliate: ann } })), review: [] }
  expect(decided.why).toEqual({ code: 'coupon_matched', coupon_code: 'SAVE' })
  const { why: _, candidates, ...rest } = decided
  expect(presentAttribution(decided)).toEqual({
    ...rest,
    candidates: candidates.map(({ why: _, ...candidate }) => candidate),
  })
  expect(JSON.stringify(presentAttribution(decided))).not.toContain('why')
})
