import {
  cohortViews,
  exploreComparisons,
  exploreDimensions,
  exploreSorts,
  exploreSources,
} from '@tributary/contract/dashboard/explore-dimensions'
import { day, id, isSet, oneOf, searchOf, text } from '../shared/search.ts'

export const exploreSearch = searchOf({
  from: day,
  to: day,
  by: oneOf(exploreDimensions),
  compare: oneOf(exploreComparisons),
  sort: oneOf(exploreSorts),
  campaign_id: id,
  affiliate_id: id,
  source: oneOf(exploreSources),
  source_value: text,
})

/** Of the lists of what is counted. */
export const rowsSearch = searchOf({
  q: text,
  campaign_id: id,
  affiliate_id: id,
  is_counted: isSet,
  source: oneOf(exploreSources),
  source_value: text,
  from: day,
  until: day,
})

/** How many months of cohorts can be shown, as in the URL. */
export const monthChoices = ['6', '12', '24', '36'] as const

export const cohortsSearch = searchOf({
  months: oneOf(monthChoices),
  view: oneOf(cohortViews),
  campaign_id: id,
  affiliate_id: id,
})
