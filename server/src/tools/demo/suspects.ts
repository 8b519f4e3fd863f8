import { type Calendar, partOfDay, TODAY } from './calendar.ts'
import type { PlannedAffiliate } from './plan-affiliates.ts'
import { type PlannedClick, planClick } from './plan-clicks.ts'
import type { Random } from './random.ts'

/** Enough for a fraud signal at any scale: none of the demo's affiliates has as many in a day. */
const BURST_CLICKS = 320

const isApproved = ({ decision }: PlannedAffiliate) => decision?.status === 'approved'

/** The first two approved affiliates are paid to one address, which raises a fraud signal about both. */
export function withSharedAddress(affiliates: PlannedAffiliate[]): PlannedAffiliate[] {
  const [first, second] = affiliates.filter(isApproved)
  const paypalEmail = first?.email.replace('@', '.paypal@')
  return affiliates.map(each => (each === first || each === second ? { ...each, paypalEmail } : each))
}

/** Yesterday's clicks of an affiliate who has few, which raise a fraud signal. */
export function burst(random: Random, calendar: Calendar, affiliates: PlannedAffiliate[]): PlannedClick[] {
  const [affiliate] = affiliates
    .filter(each => isApproved(each) && each.campaigns[0] === 'affiliates')
    .toSorted((a, b) => a.weight - b.weight)
  return affiliate
    ? Array.from({ length: BURST_CLICKS }, () =>
        planClick(random, affiliate, 'affiliates', calendar.at(TODAY - 1, partOfDay(random))),
      )
    : []
}
