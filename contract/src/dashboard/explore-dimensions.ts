/*
 * What the explorer breaks down by: time, who brings the business, and where visitors come from. Without schemas, as the pages import it
 * too.
 */
export const exploreTimes = ['day', 'week', 'month'] as const
export const exploreOwners = ['campaign', 'affiliate'] as const
export const exploreSources = [
  'link',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'sub_id',
  'landing_page',
  'device',
  'country',
] as const
/** The values of what a click has none of, of what no click brought, and of the rest of a day with too many values. */
export const NONE = '(none)'
export const NO_CLICK = '(no click)'
export const OTHER = '(other)'
export const exploreDimensions = [...exploreTimes, ...exploreOwners, ...exploreSources] as const
export type ExploreDimension = (typeof exploreDimensions)[number]
export type ExploreSource = (typeof exploreSources)[number]

export const isExploreSource = (by: ExploreDimension): by is ExploreSource =>
  exploreSources.some(each => each === by)

/**
 * Whether a question is about affiliates and sources together, or about two sources: no roll-up has that, except the links of an affiliate,
 * since each is of one.
 */
export function isCrossed(
  by: ExploreDimension,
  of: { affiliateId: number | undefined; source: ExploreSource | undefined },
): boolean {
  const isOfOne = of.affiliateId !== undefined
  if (of.source === undefined) return isOfOne && isExploreSource(by) && by !== 'link'
  return isOfOne || by === 'affiliate' || (isExploreSource(by) && by !== of.source)
}

export const exploreSorts = [
  'clicks',
  'conversions',
  'conversion_rate',
  'customers',
  'revenue',
  'commissions',
  'commission_per_click',
] as const
export type ExploreSort = (typeof exploreSorts)[number]

/** What the lists of affiliates and campaigns can be sorted by, largest first. */
export const listSorts = ['clicks', 'conversions', 'conversion_rate', 'revenue', 'commissions'] as const
export type ListSort = (typeof listSorts)[number]

export const exploreComparisons = ['period', 'year'] as const
export type ExploreComparison = (typeof exploreComparisons)[number]

/** The longest range, in days. */
export const MOST_EXPLORED_DAYS = 1100

/** How many months of cohorts can be shown. */
export const cohortMonths = [6, 12, 24, 36] as const
export const cohortViews = ['value', 'buyers'] as const
