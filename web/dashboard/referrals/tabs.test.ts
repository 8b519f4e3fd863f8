import { describe, expect, it } from 'vitest'
import { parseSearch } from '../shared/search.ts'
import { referralsSearch } from './referrals.search.ts'
import { tabOf, unattributedQuery } from './tabs.ts'

const read = (address: string) => referralsSearch(parseSearch(address))

describe('the tab of a URL', () => {
  it.each([
    ['', 0, 'all'],
    ['', 3, 'pending_review'],
    ['?status=all', 3, 'all'],
    ['?status=approved', 3, 'approved'],
    ['?status=rejected', 0, 'rejected'],
    ['?status=pending_review', 0, 'pending_review'],
    ['?view=unattributed', 3, 'unattributed'],
    ['?view=unattributed&status=approved', 3, 'unattributed'],
    // A filter searches all tabs.
    ['?affiliate_id=7', 3, 'all'],
    ['?is_test=false', 3, 'all'],
    ['?from=2026-01-01', 3, 'all'],
    // Malformed values are ignored.
    ['?status=paid', 3, 'pending_review'],
    ['?view=other', 0, 'all'],
    ['?affiliate_id=x', 3, 'pending_review'],
    ['?order=oldest', 3, 'pending_review'],
  ])('"%s" with %i to review is %s', (address, needsReview, tab) => {
    expect(tabOf(read(address), needsReview)).toBe(tab)
  })
})

it('filters unattributed conversions by what applies to them', () => {
  const query = unattributedQuery(read('?campaign_id=7&customer_ref=c-1&affiliate_id=3&is_test=true'))
  expect(query).toEqual({
    campaign_id: 7,
    customer_ref: 'c-1',
    from: undefined,
    until: undefined,
  })
})
