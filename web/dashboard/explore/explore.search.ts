import {
  exploreComparisons,
  exploreDimensions,
  exploreSorts,
} from '@tributary/contract/dashboard/explore-dimensions'
import { day, id, oneOf, searchOf } from '../shared/search.ts'

export const exploreSearch = searchOf({
  from: day,
  to: day,
  by: oneOf(exploreDimensions),
  compare: oneOf(exploreComparisons),
  sort: oneOf(exploreSorts),
  campaign_id: id,
  affiliate_id: id,
})
