import { type Calendar, partOfDay, STORY_DAYS, TODAY } from './calendar.ts'
import type { CampaignName } from './campaign-name.ts'
import { People, TAGS } from './people.ts'
import type { Random } from './random.ts'

export interface PlannedAffiliate {
  name: string
  email: string
  token: string
  kind: 'affiliate' | 'customer'
  campaigns: CampaignName[]
  couponCode: string | undefined
  paypalEmail: string | undefined
  tags: string[]
  joinsAt: string
  /** The decision on the application; undefined for recent ones, which are still pending. */
  decision: { status: 'approved' | 'rejected'; at: string } | undefined
  /** Relative share of conversions. */
  weight: number
}

const PENDING_SHARE = 0.06
const REJECTED_SHARE = 0.05
/** Applications of the last days may still be pending. */
const UNREVIEWED_DAYS = 9

const campaignsOf = (random: Random): CampaignName[] => {
  const lot = random.next()
  if (lot < 0.6) return ['affiliates']
  if (lot < 0.68) return ['affiliates', 'agencies']
  return lot < 0.8 ? ['agencies'] : ['friends']
}

/** Most joined before the year or in its first months. */
const joinDay = (random: Random) => Math.floor(random.next() ** 1.7 * (STORY_DAYS - 30))

/** Generates affiliates in the order in which they join. */
export function planAffiliates(random: Random, calendar: Calendar, count: number): PlannedAffiliate[] {
  const people = new People(random)
  const pending = Math.round(count * PENDING_SHARE)
  const planned = Array.from({ length: count }, (_, index): PlannedAffiliate => {
    const campaigns = campaignsOf(random)
    const person = campaigns[0] === 'agencies' ? people.firm() : people.person()
    const isPending = index < pending
    const day = isPending ? random.whole(TODAY - UNREVIEWED_DAYS, TODAY) : joinDay(random)
    const joinsAt = calendar.at(day, partOfDay(random))
    const isRejected = random.chance(REJECTED_SHARE)
    const decidedAt = calendar.at(day + random.whole(1, 3), partOfDay(random))
    return {
      ...person,
      kind: campaigns.includes('friends') ? 'customer' : 'affiliate',
      campaigns,
      couponCode: random.chance(0.35) ? couponOf(random, person.token) : undefined,
      paypalEmail: random.chance(0.86) ? person.email.replace('@', '.paypal@') : undefined,
      tags: campaigns.includes('friends') ? [] : random.some(TAGS, 0.18),
      joinsAt,
      decision: isPending ? undefined : { status: isRejected ? 'rejected' : 'approved', at: decidedAt },
      // A power law: a few bring most conversions.
      weight: 1 / (1 + random.whole(0, count - 1)) ** 0.85,
    }
  })
  return planned.toSorted((a, b) => (a.joinsAt < b.joinsAt ? -1 : 1))
}

const couponOf = (random: Random, token: string) =>
  `${token.replaceAll('-', '').slice(0, 12).toUpperCase()}${random.pick([10, 15, 20])}`
