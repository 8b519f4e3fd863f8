/** Protects the credit against chance: what decides is the evidence, never the order in which it happens to be read. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { attribute, type ClickEvidence, type Evidence, type NamedAffiliate } from './attribute.ts'

const SEED = Number(process.env.TEST_SEED ?? 20260331)
const RUNS = Number(process.env.TEST_RUNS ?? 500)
const settings = { seed: SEED, numRuns: RUNS }
const CONVERTED = Date.parse('2026-03-31T12:00:00.000Z')
const WINDOW_DAYS = 3
const DAY_MS = 24 * 60 * 60 * 1000

const affiliate: fc.Arbitrary<NamedAffiliate> = fc.record({
  id: fc.integer({ min: 1, max: 6 }),
  status: fc.constantFrom('approved', 'approved', 'pending', 'rejected'),
  isEnrolled: fc.boolean(),
})
/** Many at the same millisecond and at the very edges, where mistakes live. */
const age = fc.constantFrom(-1, 0, 1, 5, 5, 5, DAY_MS, WINDOW_DAYS * DAY_MS, WINDOW_DAYS * DAY_MS + 1)
const clicks: fc.Arbitrary<ClickEvidence[]> = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 1000 }),
    campaignId: fc.constantFrom(1, 1, 1, 2),
    clickedAt: age.map(ms => new Date(CONVERTED - ms).toISOString()),
    affiliate,
  }),
  { selector: ({ id }) => id, maxLength: 8 },
)
const named = fc.option(affiliate, { nil: undefined })
const evidence: fc.Arbitrary<Evidence> = fc
  .record({
    model: fc.constantFrom('last_click' as const, 'first_click' as const),
    clicks,
    coupon: fc.option(fc.record({ code: fc.constant('SAVE'), affiliate: named }), { nil: undefined }),
    token: fc.option(fc.record({ token: fc.constant('tok'), affiliate: named }), { nil: undefined }),
    unknownClickId: fc.option(fc.constant(5000), { nil: undefined }),
  })
  .map(({ model, ...rest }) => ({
    campaign: { id: 1, model, windowDays: WINDOW_DAYS, stops: [] },
    occurredAt: new Date(CONVERTED).toISOString(),
    ...rest,
  }))

/** The rule once more, in other words: everything valid in the order of preference, and the first of it. */
function winnerByHand({ campaign, clicks: all, coupon, token }: Evidence): number | null {
  const mayWin = (who: NamedAffiliate | undefined) => who?.status === 'approved' && who.isEnrolled
  if (mayWin(coupon?.affiliate)) return coupon?.affiliate?.id ?? null
  const valid = all.filter(({ campaignId, clickedAt, affiliate: who }) => {
    const ms = CONVERTED - Date.parse(clickedAt)
    return mayWin(who) && campaignId === campaign.id && ms >= 0 && ms <= WINDOW_DAYS * DAY_MS
  })
  let best: ClickEvidence | undefined
  for (const one of valid) {
    const newer =
      !best || one.clickedAt > best.clickedAt || (one.clickedAt === best.clickedAt && one.id > best.id)
    if (!best || (campaign.model === 'last_click' ? newer : !newer)) best = one
  }
  if (best) return best.affiliate.id
  return mayWin(token?.affiliate) ? (token?.affiliate?.id ?? null) : null
}

it(`the order of the clicks never changes the decision (seed ${SEED})`, () => {
  fc.assert(
    fc.property(
      evidence.chain(given =>
        fc.tuple(fc.constant(given), fc.shuffledSubarray(given.clicks, { minLength: given.clicks.length })),
      ),
      ([given, shuffled]) => {
        expect(attribute({ ...given, clicks: shuffled })).toEqual(attribute(given))
      },
    ),
    settings,
  )
})

it(`decides as the rule written a second time does, with at most one winner (seed ${SEED})`, () => {
  fc.assert(
    fc.property(evidence, given => {
      const { affiliate_id, candidates } = attribute(given)
      expect(affiliate_id).toBe(winnerByHand(given))
      const winners = candidates.filter(({ outcome }) => outcome === 'won')
      expect(winners.map(winner => winner.affiliate_id)).toEqual(affiliate_id === null ? [] : [affiliate_id])
      const count =
        given.clicks.length + [given.coupon, given.token, given.unknownClickId].filter(Boolean).length
      expect(candidates).toHaveLength(count)
      for (const { reason } of candidates) expect(reason).not.toBe('')
    }),
    settings,
  )
})

it(`a click that cannot win changes nothing for those that can (seed ${SEED})`, () => {
  const ineligible = fc.constantFrom<Partial<ClickEvidence>>(
    { campaignId: 2 },
    { clickedAt: new Date(CONVERTED + 1).toISOString() },
    { clickedAt: new Date(CONVERTED - WINDOW_DAYS * DAY_MS - 1).toISOString() },
    { affiliate: { id: 9, status: 'rejected', isEnrolled: true } },
    { affiliate: { id: 9, status: 'pending', isEnrolled: true } },
    { affiliate: { id: 9, status: 'approved', isEnrolled: false } },
  )
  const fine: NamedAffiliate = { id: 9, status: 'approved', isEnrolled: true }
  fc.assert(
    fc.property(evidence, ineligible, fc.integer({ min: 2000, max: 3000 }), (given, flaw, id) => {
      const clickedAt = new Date(CONVERTED - 2).toISOString()
      const extra = { id, campaignId: 1, clickedAt, affiliate: fine, ...flaw }
      const after = attribute({ ...given, clicks: [extra, ...given.clicks] })
      expect(after.affiliate_id).toBe(attribute(given).affiliate_id)
      expect(after.candidates.find(({ click_id }) => click_id === id)?.outcome).toBe('dropped')
    }),
    settings,
  )
})
