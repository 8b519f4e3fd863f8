import { type Static, Type } from 'typebox'
import { Affiliate } from '../affiliate.ts'
import { Currency, closed, Id, Minor, nullable } from '../fields.ts'
import { PayoutStatus } from '../payout.ts'
import { read } from './schema.ts'

/** The first matches of each kind, newest first. */
export const SearchResults = closed({
  affiliates: Type.Array(
    closed({ id: Id, name: Affiliate.properties.name, email: Affiliate.properties.email }),
  ),
  /** Referred customers; the ID is their referral's. */
  customers: Type.Array(
    closed({
      id: Id,
      customer_ref: Type.String(),
      customer_email: nullable(Type.String()),
      campaign_name: Type.String(),
    }),
  ),
  payouts: Type.Array(
    closed({
      id: Id,
      campaign_name: Type.String(),
      status: PayoutStatus,
      total_minor: Minor,
      currency: Currency,
    }),
  ),
})
export type SearchResults = Static<typeof SearchResults>

export const searchSchemas = {
  search: read(SearchResults, closed({ q: Type.String({ minLength: 2, maxLength: 100 }) })),
}
