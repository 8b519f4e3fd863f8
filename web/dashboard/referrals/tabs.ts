import { createdBetween } from '../shared/days.ts'
import type { referralsSearch } from './referrals.search.ts'

type Filters = ReturnType<typeof referralsSearch>

export const reviewStatuses = ['pending_review', 'approved', 'rejected'] as const
export type Tab = (typeof reviewStatuses)[number] | 'all' | 'unattributed'
export const filterNames = [
  'customer_ref',
  'campaign_id',
  'affiliate_id',
  'is_test',
  'is_counted',
  'source',
  'from',
  'until',
] as const

/** The tab that the URL selects. The default is "Needs review" if there is anything to review. */
export function tabOf(filters: Filters, needsReview: number): Tab {
  if (filters.view === 'unattributed') return 'unattributed'
  const status = reviewStatuses.find(each => each === filters.status)
  if (status || filters.status === 'all') return status ?? 'all'
  return needsReview > 0 && !filterNames.some(name => filters[name] !== undefined) ? 'pending_review' : 'all'
}

export const unattributedQuery = (filters: Filters) => ({
  campaign_id: filters.campaign_id,
  customer_ref: filters.customer_ref,
  is_recent: filters.is_recent,
  ...createdBetween(filters),
})
