import type {
  Affiliate,
  Campaign,
  Commission,
  ConversionResult,
  CreateAffiliate,
  CreateConversion,
  CreateRefund,
  CreateSale,
  CreateWebhookEndpoint,
  ListAffiliatesQuery,
  ListCampaignsQuery,
  ListCommissionsQuery,
  ListPayoutsQuery,
  ListReferralsQuery,
  ListWebhookEndpointsQuery,
  MagicLink,
  Payout,
  Referral,
  RefundResult,
  SaleResult,
  UpdateAffiliate,
  UpdateCommission,
  WebhookEndpoint,
  WebhookEndpointCreated,
} from '@tributary/contract'
import type { CallOptions, WriteOptions } from './options.ts'
import type { Call, List } from './results.ts'

interface Listed<T, Filters> {
  /** Walks over all that match, newest first, page after page: `for await (const one of list(…))`. `.page()` gets one page. */
  list(filters?: Filters, options?: CallOptions): List<T>
}

interface Readable<T, Filters> extends Listed<T, Filters> {
  get(id: number, options?: CallOptions): Call<T>
}

export interface Affiliates extends Readable<Affiliate, ListAffiliatesQuery> {
  /**
   * Creates an affiliate; one whose email is known is enrolled in the campaign, and nothing else about it changes.
   * `withResponse()` tells which by `status`: 201 or 200.
   */
  create(affiliate: CreateAffiliate, options?: WriteOptions): Call<Affiliate>
  /** Changes what is given and leaves the rest; `status` approves or rejects. */
  update(id: number, changes: UpdateAffiliate, options?: WriteOptions): Call<Affiliate>
  /** A link that signs the affiliate in to the portal, once, within 15 minutes. */
  createMagicLink(id: number, options?: WriteOptions): Call<MagicLink>
}

export interface Campaigns extends Readable<Campaign, ListCampaignsQuery> {}

export interface Referrals extends Readable<Referral, ListReferralsQuery> {}

export interface Commissions extends Readable<Commission, ListCommissionsQuery> {
  update(id: number, changes: UpdateCommission, options?: WriteOptions): Call<Commission>
  /** Approves a pending commission; `invalid_state` where it is not pending. */
  approve(id: number, options?: WriteOptions): Call<Commission>
  /** Voids a pending commission; `invalid_state` where it is not pending. */
  void(id: number, options?: WriteOptions): Call<Commission>
}

export interface Payouts extends Readable<Payout, ListPayoutsQuery> {}

export interface WebhookEndpoints extends Listed<WebhookEndpoint, ListWebhookEndpointsQuery> {
  /** Keep the `secret` of the answer: it is shown this once, and `verifyWebhook` needs it. */
  create(endpoint: CreateWebhookEndpoint, options?: WriteOptions): Call<WebhookEndpointCreated>
  delete(id: number, options?: CallOptions): Call<void>
}

export interface Conversions {
  /** Reports that a customer converted, and tells who gets the credit and why. A known customer gives the first answer again. */
  create(conversion: CreateConversion, options?: WriteOptions): Call<ConversionResult>
}

export interface Sales {
  /** Reports a sale, exactly once by its `external_id`. */
  create(sale: CreateSale, options?: WriteOptions): Call<SaleResult>
}

export interface Refunds {
  /** Reports a refund, exactly once by its `external_id`. */
  create(refund: CreateRefund, options?: WriteOptions): Call<RefundResult>
}
