/** Protects attribution: under the documented rule at most one affiliate wins, and every candidate has a reason. */
import { describe, expect, it } from 'vitest'
import { attribute, type ClickEvidence, type Evidence, type NamedAffiliate } from './attribute.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const CONVERTED = Date.parse('2026-03-31T12:00:00.000Z')
const CAMPAIGN = 1
const OTHER_CAMPAIGN = 2

const ann: NamedAffiliate = { id: 11, status: 'approved', isEnrolled: true }
const bob: NamedAffiliate = { id: 12, status: 'approved', isEnrolled: true }
const cat: NamedAffiliate = { id: 13, status: 'approved', isEnrolled: true }
const pending: NamedAffiliate = { id: 14, status: 'pending', isEnrolled: true }
const rejected: NamedAffiliate = { id: 15, status: 'rejected', isEnrolled: true }
const stranger: NamedAffiliate = { id: 16, status: 'approved', isEnrolled: false }

/** A click so many milliseconds before the conversion. */
const click = (id: number, affiliate: NamedAffiliate, beforeMs: number, campaignId = CAMPAIGN) => ({
  id,
  affiliate,
  campaignId,
  clickedAt: new Date(CONVERTED - beforeMs).toISOString(),
})
const days = (count: number) => count * DAY_MS
const coupon = (affiliate?: NamedAffiliate) => ({ coupon: { code: 'SAVE', affiliate } })
const token = (affiliate?: NamedAffiliate) => ({ token: { token: 'tok', affiliate } })
const clicks = (...list: ClickEvidence[]) => ({ clicks: list })

const last = (given: Partial<Evidence>, windowDays = 30): Evidence => ({
  campaign: { id: CAMPAIGN, model: 'last_click', windowDays, stops: [] },
  occurredAt: new Date(CONVERTED).toISOString(),
  clicks: [],
  ...given,
})
/** The campaign was stopped from and until so many milliseconds before the conversion. */
const stopped = (
  status: 'paused' | 'archived',
  from: number,
  until: number | null,
  given: Partial<Evidence>,
) => {
  const evidence = last(given)
  const at = (before: number) => new Date(CONVERTED - before).toISOString()
  const stop = { status, began_at: at(from), ended_at: until === null ? null : at(until) }
  return { ...evidence, campaign: { ...evidence.campaign, stops: [stop] } }
}
const first = (given: Partial<Evidence>, windowDays = 30): Evidence => {
  const evidence = last(given, windowDays)
  return { ...evidence, campaign: { ...evidence.campaign, model: 'first_click' } }
}

/** The candidates in the order coupon, clicks as the model ranks them, unknown click, token: outcome and a word of its reason. */
type Expected = [outcome: 'won' | 'lost' | 'dropped', reason: RegExp]
const won = (reason: RegExp): Expected => ['won', reason]
const lost = (reason: RegExp): Expected => ['lost', reason]
const dropped = (reason: RegExp): Expected => ['dropped', reason]
const inTime = /before the conversion, within the 30-day window$/
const beatenByCoupon = /; a coupon code takes precedence$/
const notApproved = (status: string) => new RegExp(`The affiliate is ${status}; only approved`)
const notEnrolled = /not enrolled in this campaign/
const tooOld = /before the conversion, outside the 30-day window$/
const tooLate = /after the conversion/
const byCoupon = /^Coupon code "SAVE" belongs to this affiliate$/
const byToken = /^Token "tok" belongs to this affiliate$/
const comesFirst = (model: 'last' | 'first', id: number) =>
  new RegExp(`; click ${id} was ${model === 'last' ? 'later' : 'earlier'}$`)

// biome-ignore format: a table is read row by row.
const table: [string, Evidence, NamedAffiliate | null, Expected[]][] = [
  // Nothing, and nothing that is known.
  ['nothing given', last({}), null, []],
  ['unknown click', last({ unknownClickId: 9 }), null, [dropped(/^Click not found/)]],
  ['unknown coupon', last(coupon()), null, [dropped(/^No affiliate has coupon code "SAVE"/)]],
  ['unknown token', last(token()), null, [dropped(/^No affiliate has token "tok"/)]],
  ['all three unknown', last({ ...coupon(), ...token(), unknownClickId: 9 }), null, [dropped(/coupon code "SAVE"/), dropped(/^Click not found/), dropped(/token "tok"/)]],

  // A paused or archived campaign, to the millisecond.
  ['a coupon while the campaign is paused', stopped('paused', 1, null, coupon(ann)), null, [dropped(/^The campaign was paused at the conversion$/)]],
  ['a token in the first millisecond of a pause', stopped('paused', 0, null, token(ann)), null, [dropped(/paused at the conversion$/)]],
  ['a token 1 ms before the pause', stopped('paused', -1, null, token(ann)), ann, [won(byToken)]],
  ['a token at the end of the pause', stopped('paused', 9, 0, token(ann)), ann, [won(byToken)]],
  ['a click from before the pause, converted in it', stopped('archived', 5, null, clicks(click(1, ann, 9))), null, [dropped(/archived at the conversion$/)]],
  ['a click from the pause, converted in it', stopped('paused', 9, null, clicks(click(1, ann, 5))), null, [dropped(/paused at the conversion$/)]],
  ['a click from the pause, converted after it', stopped('paused', 9, 3, clicks(click(1, ann, 5))), null, [dropped(/^Clicked while the campaign was paused$/)]],
  ['a click from before the pause, converted after it', stopped('paused', 5, 3, clicks(click(1, ann, 9))), ann, [won(inTime)]],
  ['a click from the pause beside an earlier one', stopped('paused', 5, 3, clicks(click(1, ann, 9), click(2, bob, 4))), ann, [dropped(/while the campaign was paused/), won(inTime)]],
  ['a pending affiliate while paused is not credited on approval', stopped('paused', 1, null, token(pending)), null, [dropped(/paused at the conversion$/)]],
  ['a stranger while paused', stopped('paused', 1, null, token(stranger)), null, [dropped(notEnrolled)]],

  // The window, to the millisecond.
  ['at the moment of the conversion', last(clicks(click(1, ann, 0))), ann, [won(/^Clicked 0 s before/)]],
  ['1 ms before the conversion', last(clicks(click(1, ann, 1))), ann, [won(inTime)]],
  ['1 ms after the conversion', last(clicks(click(1, ann, -1))), null, [dropped(tooLate)]],
  ['a day after the conversion', last(clicks(click(1, ann, -DAY_MS))), null, [dropped(/^Clicked 1 day after/)]],
  ['exactly at the window’s end', last(clicks(click(1, ann, days(30)))), ann, [won(/^Clicked 30 days before/)]],
  ['1 ms inside the window', last(clicks(click(1, ann, days(30) - 1))), ann, [won(inTime)]],
  ['1 ms past the window', last(clicks(click(1, ann, days(30) + 1))), null, [dropped(tooOld)]],
  ['a window of one day, at its end', last(clicks(click(1, ann, DAY_MS)), 1), ann, [won(/within the 1-day window/)]],
  ['a window of one day, 1 ms past', last(clicks(click(1, ann, DAY_MS + 1)), 1), null, [dropped(/just over 1 day before the conversion, outside the 1-day window/)]],
  ['a window over the change to summer time', last(clicks(click(1, ann, days(3)))), ann, [won(/^Clicked 3 days before/)]],
  ['first click: at the window’s end', first(clicks(click(1, ann, days(30)))), ann, [won(inTime)]],
  ['first click: 1 ms past the window', first(clicks(click(1, ann, days(30) + 1))), null, [dropped(tooOld)]],

  // Several clicks, several affiliates.
  ['last: the newer of two', last(clicks(click(1, ann, days(2)), click(2, bob, days(1)))), bob, [won(inTime), lost(comesFirst('last', 2))]],
  ['first: the older of two', first(clicks(click(1, ann, days(2)), click(2, bob, days(1)))), ann, [won(inTime), lost(comesFirst('first', 1))]],
  ['last: the newest of three', last(clicks(click(1, ann, 3), click(2, bob, 1), click(3, cat, 2))), bob, [won(inTime), lost(comesFirst('last', 2)), lost(comesFirst('last', 2))]],
  ['first: the oldest of three', first(clicks(click(1, ann, 2), click(2, bob, 3), click(3, cat, 1))), bob, [won(inTime), lost(comesFirst('first', 2)), lost(comesFirst('first', 2))]],
  ['time decides, not the id', last(clicks(click(9, ann, days(2)), click(1, bob, days(1)))), bob, [won(inTime), lost(inTimeBut(1))]],
  ['1 ms decides', last(clicks(click(9, ann, 2), click(1, bob, 1))), bob, [won(inTime), lost(comesFirst('last', 1))]],
  ['one affiliate twice: last names the newer', last(clicks(click(1, ann, 2), click(2, ann, 1))), ann, [won(inTime), lost(comesFirst('last', 2))]],
  ['last: newest too late, the next one wins', last(clicks(click(1, ann, 5), click(2, bob, -5))), ann, [dropped(tooLate), won(inTime)]],
  ['first: oldest too old, the next one wins', first(clicks(click(1, ann, days(31)), click(2, bob, days(29)))), bob, [dropped(tooOld), won(inTime)]],
  ['a click beside an unknown one', last({ ...clicks(click(1, ann, 1)), unknownClickId: 9 }), ann, [won(inTime), dropped(/^Click not found/)]],

  // The same millisecond.
  ['last: a tie goes to the higher id', last(clicks(click(1, ann, 5), click(2, bob, 5))), bob, [won(inTime), lost(comesFirst('last', 2))]],
  ['last: whichever comes first in the input', last(clicks(click(2, bob, 5), click(1, ann, 5))), bob, [won(inTime), lost(comesFirst('last', 2))]],
  ['first: a tie goes to the lower id', first(clicks(click(1, ann, 5), click(2, bob, 5))), ann, [won(inTime), lost(comesFirst('first', 1))]],
  ['first: whichever comes first in the input', first(clicks(click(2, bob, 5), click(1, ann, 5))), ann, [won(inTime), lost(comesFirst('first', 1))]],

  // Affiliates who cannot be credited.
  ['pending', last(clicks(click(1, pending, 1))), null, [dropped(notApproved('pending'))]],
  ['rejected', last(clicks(click(1, rejected, 1))), null, [dropped(notApproved('rejected'))]],
  ['not enrolled', last(clicks(click(1, stranger, 1))), null, [dropped(notEnrolled)]],
  ['last: newest is rejected, the next one wins', last(clicks(click(1, ann, 2), click(2, rejected, 1))), ann, [dropped(notApproved('rejected')), won(inTime)]],
  ['first: oldest is pending, the next one wins', first(clicks(click(1, pending, 2), click(2, bob, 1))), bob, [dropped(notApproved('pending')), won(inTime)]],
  ['rejected and too old: the window is said', last(clicks(click(1, rejected, days(31)))), null, [dropped(tooOld)]],

  // Two campaigns.
  ['a click of another campaign', last(clicks(click(1, ann, 1, OTHER_CAMPAIGN))), null, [dropped(/^The click belongs to campaign 2$/)]],
  ['newest is of another campaign', last(clicks(click(1, ann, 2), click(2, bob, 1, OTHER_CAMPAIGN))), ann, [dropped(/campaign 2/), won(inTime)]],
  ['first: oldest is of another campaign', first(clicks(click(1, ann, 2, OTHER_CAMPAIGN), click(2, bob, 1))), bob, [dropped(/campaign 2/), won(inTime)]],

  // Coupon against click.
  ['a coupon alone', last(coupon(ann)), ann, [won(byCoupon)]],
  ['last: a coupon beats a click', last({ ...coupon(ann), ...clicks(click(1, bob, 1)) }), ann, [won(byCoupon), lost(beatenByCoupon)]],
  ['first: a coupon beats a click', first({ ...coupon(ann), ...clicks(click(1, bob, 1)) }), ann, [won(byCoupon), lost(beatenByCoupon)]],
  ['a coupon and a click of one affiliate', last({ ...coupon(ann), ...clicks(click(1, ann, 1)) }), ann, [won(byCoupon), lost(beatenByCoupon)]],
  ['a coupon of a rejected one falls to the click', last({ ...coupon(rejected), ...clicks(click(1, bob, 1)) }), bob, [dropped(notApproved('rejected')), won(inTime)]],
  ['a coupon of a pending one falls to the click', first({ ...coupon(pending), ...clicks(click(1, bob, 1)) }), bob, [dropped(notApproved('pending')), won(inTime)]],
  ['a coupon of a stranger falls to the click', last({ ...coupon(stranger), ...clicks(click(1, bob, 1)) }), bob, [dropped(notEnrolled), won(inTime)]],
  ['an unknown coupon falls to the click', last({ ...coupon(), ...clicks(click(1, bob, 1)) }), bob, [dropped(/^No affiliate has/), won(inTime)]],
  ['a coupon has no window', last({ ...coupon(ann), ...clicks(click(1, bob, days(31))) }), ann, [won(byCoupon), dropped(tooOld)]],

  // The token.
  ['a token alone', last(token(ann)), ann, [won(byToken)]],
  ['a click beats a token', last({ ...token(ann), ...clicks(click(1, bob, 1)) }), bob, [won(inTime), lost(/; a click takes precedence$/)]],
  ['a coupon beats a token', last({ ...coupon(bob), ...token(ann) }), bob, [won(byCoupon), lost(beatenByCoupon)]],
  ['a token where the click is too old', last({ ...token(ann), ...clicks(click(1, bob, days(31))) }), ann, [dropped(tooOld), won(byToken)]],
  ['a token where the coupon is unknown', last({ ...coupon(), ...token(ann) }), ann, [dropped(/^No affiliate has/), won(byToken)]],
  ['a token of a rejected one', last(token(rejected)), null, [dropped(notApproved('rejected'))]],
  ['a token of a stranger', last(token(stranger)), null, [dropped(notEnrolled)]],
  ['all three: the coupon', first({ ...coupon(cat), ...token(ann), ...clicks(click(1, bob, 1)) }), cat, [won(byCoupon), lost(beatenByCoupon), lost(beatenByCoupon)]],
]

function inTimeBut(id: number): RegExp {
  return new RegExp(`within the 30-day window; click ${id} was later$`)
}

describe('who gets the credit, and why', () => {
  it.each(table)('%s', (_name, evidence, winner, previewResults) => {
    const decision = attribute(evidence)
    expect(decision.affiliate_id).toBe(winner?.id ?? null)
    expect(decision).toMatchObject({
      model: evidence.campaign.model,
      window_days: evidence.campaign.windowDays,
    })
    expect(decision.candidates.map(({ outcome }) => outcome)).toEqual(
      previewResults.map(([outcome]) => outcome),
    )
    for (const [index, [, reason]] of previewResults.entries())
      expect(decision.candidates[index]?.reason).toMatch(reason)
    expect(decision.reason).toMatch(
      winner ? /^Credited (to the (last|first) valid click|by (coupon code|token))/ : /^Unattributed: /,
    )
  })

  it('the sentence carries the arithmetic of the winning click', () => {
    const { reason } = attribute(last(clicks(click(1, ann, days(1.5)))))
    expect(reason).toBe(
      'Credited to the last valid click: 1 day 12 h before the conversion, within the 30-day window.',
    )
  })

  it('each candidate names what it speaks for', () => {
    const [byCode, byClick, unknown, named] = attribute(
      last({ ...coupon(), ...clicks(click(7, bob, 1)), unknownClickId: 9, ...token(ann) }),
    ).candidates
    expect(byCode).toMatchObject({ source: 'coupon', affiliate_id: null, click_id: null, clicked_at: null })
    expect(byClick).toMatchObject({
      source: 'click',
      affiliate_id: 12,
      click_id: 7,
      clicked_at: '2026-03-31T11:59:59.999Z',
    })
    expect(unknown).toMatchObject({ source: 'click', affiliate_id: null, click_id: 9, clicked_at: null })
    expect(named).toMatchObject({ source: 'token', affiliate_id: 11, click_id: null, clicked_at: null })
  })
})
