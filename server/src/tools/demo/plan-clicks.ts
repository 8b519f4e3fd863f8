import { type Calendar, daysFrom, partOfDay } from './calendar.ts'
import type { CampaignName } from './campaign-name.ts'
import type { PlannedAffiliate } from './plan-affiliates.ts'
import type { Random } from './random.ts'

export interface PlannedClick {
  affiliate: PlannedAffiliate
  campaign: CampaignName
  at: string
  visitorId: string
  isBot: boolean
  userAgent: string
  referrer: string | null
  /** Set once it is inserted. */
  id?: number
}

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
]
const BOT = 'Mozilla/5.0 (compatible; ExampleBot/1.0; +https://bot.example/about)'
const REFERRERS = [
  'https://blog.example/',
  'https://videos.example/watch',
  'https://news.example/letter',
  null,
]
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
    userAgent: random.pick(BROWSERS),
    referrer: random.pick(REFERRERS),
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
      clicks.push(
        random.chance(BOT_SHARE) ? { ...click, isBot: true, userAgent: BOT, referrer: null } : click,
      )
    }
  }
  return clicks
}
