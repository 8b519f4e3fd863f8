import { byDoubling, type Found, part } from './signal.ts'

/** The busiest of an affiliate's last days, and the days before. */
export interface Peak {
  affiliate_id: number
  day: string
  clicks: number
  unique_clicks: number
  /** Clicks per day in the three weeks before the last one; null if the affiliate had joined too few days before it. */
  usual: number | null
}

export const LEAST_CLICKS_IN_DAY = 200
/** A quiet affiliate may have a good day. */
export const LEAST_USUAL = 20
export const TIMES_USUAL = 5
export const FEW_VISITORS_SHARE = 0.5
/** Of fewer days than these, no number is usual. */
export const LEAST_DAYS_BEFORE = 7

/**
 * Clicks of one day far above the affiliate's usual number. Repeated clicks of few visitors add to it. A new affiliate has no usual
 * number, and starts with a campaign: only repeated clicks count.
 */
export function clickVelocity({ affiliate_id, day, clicks, unique_clicks, usual }: Peak): Found | undefined {
  const times = clicks / Math.max(usual ?? 0, LEAST_USUAL)
  if (clicks < LEAST_CLICKS_IN_DAY || times < TIMES_USUAL) return undefined
  const share = unique_clicks / clicks
  if (usual === null && share >= FEW_VISITORS_SHARE) return undefined
  const points = byDoubling(times, { from: TIMES_USUAL, least: 30, step: 10, most: 60 })
  return {
    kind: 'click_velocity',
    affiliateId: affiliate_id,
    campaignId: null,
    parts: [
      part('clicks_in_day', points, clicks, { usual: usual && Math.round(usual), text: day }),
      ...(share < FEW_VISITORS_SHARE
        ? [part('few_visitors', 40 * (1 - share / FEW_VISITORS_SHARE), unique_clicks, { of: clicks })]
        : []),
    ],
    affiliates: [],
    weight: clicks,
  }
}

/** The unique clicks of an affiliate in a campaign, what they led to, and the same of the campaign's other affiliates. */
export interface Conversions {
  affiliate_id: number
  campaign_id: number
  clicks: number
  /** Conversions that one of these clicks won. */
  conversions: number
  /** Conversions that any click won, an earlier one too. */
  sales: number
  /** Those of them whose click has no referrer and came only seconds before. */
  instant: number
  other_clicks: number
  other_conversions: number
  other_sales: number
  other_instant: number
}

export const LEAST_CONVERSIONS = 10
export const LEAST_OTHER_CLICKS = 200
export const TIMES_OTHERS = 2
/** Standard deviations: chance alone exceeds it once in about 700 times. */
const DEVIATIONS = 3

/** The lowest rate that the conversions leave plausible: the lower end of Wilson's interval for a binomial share. */
export function plausibleRate(conversions: number, clicks: number): number {
  const rate = Math.min(1, conversions / clicks)
  const z2 = DEVIATIONS ** 2
  const centre = rate + z2 / (2 * clicks)
  const margin = DEVIATIONS * Math.sqrt((rate * (1 - rate)) / clicks + z2 / (4 * clicks ** 2))
  return Math.max(0, (centre - margin) / (1 + z2 / clicks))
}

const percent = (rate: number) => Math.round(rate * 1000) / 10

/** A conversion rate above that of the campaign's other affiliates, by more than chance explains. */
export function conversionRate(row: Conversions): Found | undefined {
  const { clicks, conversions, other_clicks, other_conversions } = row
  if (conversions < LEAST_CONVERSIONS || clicks === 0) return undefined
  if (other_clicks < LEAST_OTHER_CLICKS || other_conversions === 0) return undefined
  const others = other_conversions / other_clicks
  const times = plausibleRate(conversions, clicks) / others
  if (times < TIMES_OTHERS) return undefined
  return {
    kind: 'conversion_rate',
    affiliateId: row.affiliate_id,
    campaignId: row.campaign_id,
    parts: [
      part(
        'rate_of_others',
        byDoubling(times, { from: TIMES_OTHERS, least: 25, step: 15, most: 60 }),
        percent(conversions / clicks),
        { usual: percent(others) },
      ),
      part(
        'conversions_counted',
        byDoubling(conversions, { from: LEAST_CONVERSIONS, least: 10, step: 10, most: 40 }),
        conversions,
        { of: clicks },
      ),
    ],
    affiliates: [],
    weight: conversions,
  }
}

export const INSTANT_SECONDS = 10
export const LEAST_INSTANT = 5
export const LEAST_INSTANT_SHARE = 0.2
/** Fewer sales of others are no measure. */
export const LEAST_OTHER_SALES = 20

/**
 * Sales within seconds of clicks without a referrer: a script that clicks for a customer who buys anyway. In a campaign where they are
 * common, such as one for an app, only at twice the share of the others.
 */
export function instantSales(row: Conversions): Found | undefined {
  const { instant, sales, other_instant, other_sales } = row
  const share = instant / sales
  if (instant < LEAST_INSTANT || share < LEAST_INSTANT_SHARE) return undefined
  if (other_sales >= LEAST_OTHER_SALES && share < (TIMES_OTHERS * other_instant) / other_sales)
    return undefined
  return {
    kind: 'instant_sales',
    affiliateId: row.affiliate_id,
    campaignId: row.campaign_id,
    parts: [
      part(
        'instant_sales',
        byDoubling(instant, { from: LEAST_INSTANT, least: 20, step: 10, most: 50 }),
        instant,
        {
          of: sales,
        },
      ),
      part('instant_share', 50 * share, percent(share)),
    ],
    affiliates: [],
    weight: instant,
  }
}

/** The newest clicks of an affiliate in a campaign that forbids paid search. */
export interface PaidClicks {
  affiliate_id: number
  campaign_id: number
  /** All of the last week. */
  week: number
  clicks: number
  paid: number
  /** The parameter that most of them have. */
  parameter: string | null
}

const LEAST_PAID = 3
/** A few clicks that someone else makes with such a parameter prove nothing. */
const LEAST_PAID_SHARE = 0.05

/** Clicks with the parameters of search ads, which the campaign's terms forbid. */
export function paidSearch({
  affiliate_id,
  campaign_id,
  week,
  clicks,
  paid,
  parameter,
}: PaidClicks): Found | undefined {
  const share = paid / clicks
  if (paid < LEAST_PAID || share < LEAST_PAID_SHARE) return undefined
  return {
    kind: 'paid_search',
    affiliateId: affiliate_id,
    campaignId: campaign_id,
    parts: [
      part('paid_clicks', byDoubling(paid, { from: LEAST_PAID, least: 40, step: 5, most: 60 }), paid, {
        of: clicks,
        text: parameter,
      }),
      part('paid_share', 40 * share, percent(share)),
    ],
    affiliates: [],
    // Of the whole week: the newest clicks alone would not double.
    weight: Math.max(paid, Math.round(share * week)),
  }
}
