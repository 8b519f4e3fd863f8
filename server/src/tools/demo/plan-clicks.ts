import { type Calendar, daysFrom, partOfDay } from './calendar.ts'
import type { CampaignName } from './campaign-name.ts'
import type { PlannedAffiliate } from './plan-affiliates.ts'
import { crawled, type PlannedVisit, planVisit } from './plan-visit.ts'
import type { Random } from './random.ts'

export interface PlannedClick extends PlannedVisit {
  affiliate: PlannedAffiliate
  campaign: CampaignName
  at: string
  visitorId: string
  isBot: boolean
  /** Set once it is inserted. */
  id?: number
}

const BOT_SHARE = 0.05

const visitorId = (random: Random) =>
  Array.from({ length: 4 }, () => random.whole(0, 0xffff).toString(16).padStart(4, '0')).join('')

export function planClick(
  random: Random,
  affiliate: PlannedAffiliate,
  campaign: CampaignName,
  at: string,
): PlannedClick {
  return {
    affiliate,
    campaign,
    at,
    visitorId: visitorId(random),
    isBot: false,
    ...planVisit(random, campaign),
  }
}

/** Clicks without a conversion: most of them. */
export function planClicks(
  random: Random,
  calendar: Calendar,
  affiliates: PlannedAffiliate[],
  count: number,
): PlannedClick[] {
  const days = daysFrom(1)
  const busyness = days.reduce((sum, day) => sum + calendar.busyness(day), 0)
  const clicks: PlannedClick[] = []
  let owed = 0
  for (const day of days) {
    const begin = calendar.at(day, 0)
    const active = affiliates.filter(({ decision }) => decision?.status === 'approved' && decision.at < begin)
    // Random variation beyond the weekly rhythm.
    owed += ((count * calendar.busyness(day)) / busyness) * (0.75 + 0.5 * random.next())
    for (; owed >= 1 && active.length > 0; owed--) {
      const affiliate = random.weighted(active, ({ weight }) => weight)
      const click = planClick(
        random,
        affiliate,
        random.pick(affiliate.campaigns),
        calendar.at(day, partOfDay(random)),
      )
      clicks.push(random.chance(BOT_SHARE) ? { ...click, isBot: true, ...crawled(click) } : click)
    }
  }
  return clicks
}
