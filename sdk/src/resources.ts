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
  /** All matching objects, newest first: iterate with `for await (const one of list(…))`, or get one page with `.page()`. */
  list(filters?: Filters, options?: CallOptions): List<T>
}

interface Readable<T, Filters> extends Listed<T, Filters> {
  get(id: number, options?: CallOptions): Call<T>
}

export interface Affiliates extends Readable<Affiliate, ListAffiliatesQuery> {
  /**
   * Creates an affiliate. An existing affiliate with this email is enrolled in the campaign and otherwise unchanged.
   * The `status` of `withResponse()` distinguishes the two: 201 or 200.
   */
  create(affiliate: CreateAffiliate, options?: WriteOptions): Call<Affiliate>
  /** Updates the given fields; `status` approves or rejects. */
  update(id: number, changes: UpdateAffiliate, options?: WriteOptions): Call<Affiliate>
  /** Creates a sign-in link to the portal, which works once and expires after 15 minutes. */
  createMagicLink(id: number, options?: WriteOptions): Call<MagicLink>
}

export interface Campaigns extends Readable<Campaign, ListCampaignsQuery> {}

export interface Referrals extends Readable<Referral, ListReferralsQuery> {}

export interface Commissions extends Readable<Commission, ListCommissionsQuery> {
  update(id: number, changes: UpdateCommission, options?: WriteOptions): Call<Commission>
  /** Approves a pending commission; fails with `invalid_state` if it is not pending. */
  approve(id: number, options?: WriteOptions): Call<Commission>
  /** Voids a pending commission; fails with `invalid_state` if it is not pending. */
  void(id: number, options?: WriteOptions): Call<Commission>
}

export interface Payouts extends Readable<Payout, ListPayoutsQuery> {}

export interface WebhookEndpoints extends Listed<WebhookEndpoint, ListWebhookEndpointsQuery> {
  /** Store the returned `secret`: it is not shown again, and `verifyWebhook` needs it. */
  create(endpoint: CreateWebhookEndpoint, options?: WriteOptions): Call<WebhookEndpointCreated>
  delete(id: number, options?: CallOptions): Call<void>
}

export interface Conversions {
  /** Reports a conversion; the result explains its attribution. A customer who has already converted returns the first result. */
  create(conversion: CreateConversion, options?: WriteOptions): Call<ConversionResult>
}

export interface Sales {
  /** Reports a sale. Idempotent by `external_id`. */
  create(sale: CreateSale, options?: WriteOptions): Call<SaleResult>
}

export interface Refunds {
  /** Reports a refund. Idempotent by `external_id`. */
  create(refund: CreateRefund, options?: WriteOptions): Call<RefundResult>
}
