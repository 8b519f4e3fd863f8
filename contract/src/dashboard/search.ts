import { type Static, Type } from 'typebox'
import { Affiliate } from '../affiliate.ts'
import { Currency, closed, Id, Minor, nullable } from '../fields.ts'
import { PayoutStatus } from '../payout.ts'
import { WebhookEndpoint } from '../webhook-endpoint.ts'
import { read } from './schema.ts'

/** The first matches of each kind, newest first. */
export const SearchResults = closed({
  affiliates: Type.Array(
    closed({ id: Id, name: Affiliate.properties.name, email: Affiliate.properties.email }),
  ),
  /** Referred customers, by their reference, email or their referral's number; the ID is the referral's. */
  customers: Type.Array(
    closed({
      id: Id,
      customer_ref: Type.String(),
      customer_email: nullable(Type.String()),
      campaign_name: Type.String(),
    }),
  ),
  /** By their ID, complete or its beginning. */
  sales: Type.Array(
    closed({
      id: Id,
      external_id: Type.String(),
      referral_id: nullable(Id),
      amount_minor: Minor,
      currency: Currency,
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
  endpoints: Type.Array(closed({ id: Id, url: Type.String(), status: WebhookEndpoint.properties.status })),
})
export type SearchResults = Static<typeof SearchResults>

export const searchSchemas = {
  search: read(SearchResults, closed({ q: Type.String({ minLength: 2, maxLength: 100 }) })),
}
