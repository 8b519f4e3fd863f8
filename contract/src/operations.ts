import type { TSchema } from 'typebox'
import {
  Affiliate,
  AffiliateList,
  CreateAffiliate,
  ListAffiliatesQuery,
  UpdateAffiliate,
} from './affiliate.ts'
import { Campaign, CampaignList, ListCampaignsQuery } from './campaign.ts'
import { Commission, CommissionList, ListCommissionsQuery, UpdateCommission } from './commission.ts'
import type { ErrorCode } from './errors.ts'
import { closed } from './fields.ts'
import {
  Attribution,
  AttributionCandidate,
  ConversionResult,
  CreateConversion,
  CreateRefund,
  CreateSale,
  RefundResult,
  SaleResult,
} from './ingestion.ts'
import { MagicLink } from './magic-link.ts'
import { ListPayoutsQuery, Payout, PayoutItem, PayoutList } from './payout.ts'
import { ListReferralsQuery, Referral, ReferralList } from './referral.ts'
import {
  CreateWebhookEndpoint,
  ListWebhookEndpointsQuery,
  WebhookEndpoint,
  WebhookEndpointCreated,
  WebhookEndpointList,
} from './webhook-endpoint.ts'
import { eventComponents } from './webhooks.ts'

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The full path, with `{id}` for an identifier. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly query: TSchema
  /** Absent if the operation takes no body. */
  readonly body?: TSchema
  /** Success statuses with the schemas of their bodies; null is no body. */
  readonly success: {
    readonly [status: number]: { readonly schema: TSchema | null; readonly meaning: string }
  }
  readonly errors: readonly ErrorCode[]
}

const noQuery = closed({})
const anyRequest = [
  'unauthorized',
  'validation_failed',
  'rate_limited',
  'internal_error',
  'unavailable',
] as const
const withBody = [...anyRequest, 'bad_request', 'payload_too_large', 'unsupported_media_type'] as const

const list = <P extends string, Q extends TSchema, L extends TSchema>(
  path: P,
  tag: string,
  query: Q,
  page: L,
) => ({
  method: 'GET' as const,
  path: `/api/v1/${path}` as const,
  tag,
  summary: `List ${tag.toLowerCase()}`,
  description: `Returns a page of ${tag.toLowerCase()}, newest first. Filters combine with AND. Pass the last \`id\` as \`starting_after\` to get the next page.`,
  query,
  success: { 200: { schema: page, meaning: `A page of ${tag.toLowerCase()}` } },
  errors: anyRequest,
})

const get = <P extends string, T extends TSchema>(path: P, tag: string, noun: string, schema: T) => ({
  method: 'GET' as const,
  path: `/api/v1/${path}/{id}` as const,
  tag,
  summary: `Get ${noun}`,
  description: `Returns ${noun} by its \`id\`, if it belongs to your account.`,
  query: noQuery,
  success: { 200: { schema, meaning: `The ${noun.replace(/^an? /, '')}` } },
  errors: [...anyRequest, 'not_found'] as const,
})

/** Reports from a merchant's backend. Idempotent: a repeated report responds with 200. */
const ingest = <P extends string, B extends TSchema, R extends TSchema>(
  path: P,
  summary: string,
  description: string,
  body: B,
  result: R,
  meaning: { created: string; known: string },
) => ({
  method: 'POST' as const,
  path: `/ingest/v1/${path}` as const,
  tag: 'Ingestion',
  summary,
  description,
  query: noQuery,
  body,
  success: {
    201: { schema: result, meaning: meaning.created },
    200: { schema: result, meaning: meaning.known },
  },
  errors: [...withBody, 'conflict'] as const,
})

/** Every operation of the public API. The routes, the OpenAPI document and the tests are derived from it. */
export const operations = {
  listAffiliates: list('affiliates', 'Affiliates', ListAffiliatesQuery, AffiliateList),
  createAffiliate: {
    method: 'POST',
    path: '/api/v1/affiliates',
    tag: 'Affiliates',
    summary: 'Create or enrol an affiliate',
    description:
      'Creates a `pending` affiliate and enrols it in the campaign. An existing affiliate with this email is enrolled and otherwise unchanged. Idempotent.',
    query: noQuery,
    body: CreateAffiliate,
    success: {
      201: { schema: Affiliate, meaning: 'The new affiliate' },
      200: {
        schema: Affiliate,
        meaning: 'The existing affiliate, now enrolled in the campaign',
      },
    },
    errors: [...withBody, 'conflict'],
  },
  getAffiliate: get('affiliates', 'Affiliates', 'an affiliate', Affiliate),
  updateAffiliate: {
    method: 'PATCH',
    path: '/api/v1/affiliates/{id}',
    tag: 'Affiliates',
    summary: 'Update, approve or reject an affiliate',
    description:
      'Omitted fields stay unchanged; null clears a nullable field. The status can change between `approved` and `rejected`, but not back to `pending`.',
    query: noQuery,
    body: UpdateAffiliate,
    success: { 200: { schema: Affiliate, meaning: 'The updated affiliate' } },
    errors: [...withBody, 'not_found', 'conflict'],
  },
  createMagicLink: {
    method: 'POST',
    path: '/api/v1/affiliates/{id}/magic_link',
    tag: 'Affiliates',
    summary: 'Create a sign-in link to the portal',
    description:
      'The link works once and expires after 15 minutes. Redirect the affiliate to it from your own site. Earlier links stay valid. A rejected affiliate gets none.',
    query: noQuery,
    success: { 200: { schema: MagicLink, meaning: 'The sign-in link' } },
    errors: [...withBody, 'not_found', 'invalid_state', 'conflict'],
  },
  listCampaigns: list('campaigns', 'Campaigns', ListCampaignsQuery, CampaignList),
  getCampaign: get('campaigns', 'Campaigns', 'a campaign', Campaign),
  listReferrals: list('referrals', 'Referrals', ListReferralsQuery, ReferralList),
  getReferral: get('referrals', 'Referrals', 'a referral', Referral),
  listCommissions: list('commissions', 'Commissions', ListCommissionsQuery, CommissionList),
  getCommission: get('commissions', 'Commissions', 'a commission', Commission),
  updateCommission: {
    method: 'PATCH',
    path: '/api/v1/commissions/{id}',
    tag: 'Commissions',
    summary: 'Approve or void a pending commission',
    description:
      'Only a pending commission can be approved or voided. Its pending clawbacks are approved or voided with it.',
    query: noQuery,
    body: UpdateCommission,
    success: { 200: { schema: Commission, meaning: 'The updated commission' } },
    errors: [...withBody, 'not_found', 'invalid_state', 'conflict'],
  },
  listPayouts: list('payouts', 'Payouts', ListPayoutsQuery, PayoutList),
  getPayout: get('payouts', 'Payouts', 'a payout', Payout),
  listWebhookEndpoints: list(
    'webhook_endpoints',
    'Webhook endpoints',
    ListWebhookEndpointsQuery,
    WebhookEndpointList,
  ),
  createWebhookEndpoint: {
    method: 'POST',
    path: '/api/v1/webhook_endpoints',
    tag: 'Webhook endpoints',
    summary: 'Create a webhook endpoint',
    description:
      'Subscribes a URL to events. The response has the signing secret, which is not shown again. The URL must be https, unless private destinations are allowed.',
    query: noQuery,
    body: CreateWebhookEndpoint,
    success: {
      201: { schema: WebhookEndpointCreated, meaning: 'The endpoint with its signing secret' },
    },
    errors: [...withBody, 'conflict'],
  },
  deleteWebhookEndpoint: {
    method: 'DELETE',
    path: '/api/v1/webhook_endpoints/{id}',
    tag: 'Webhook endpoints',
    summary: 'Delete a webhook endpoint',
    description: 'Stops all deliveries to it, including pending retries.',
    query: noQuery,
    success: { 204: { schema: null, meaning: 'Deleted; no body' } },
    errors: [...withBody, 'not_found'],
  },
  createConversion: ingest(
    'conversions',
    'Report a conversion',
    'Attributes the customer to an affiliate by coupon code, click or token, and records the first sale if there is one. A customer converts once per campaign. The response explains the attribution.',
    CreateConversion,
    ConversionResult,
    {
      created: 'The new referral, its commissions and the attribution',
      known:
        'The first result, if the customer has already converted; or an unattributed conversion with its reason',
    },
  ),
  createSale: ingest(
    'sales',
    'Report a sale',
    'Report every sale: sales of referred customers earn commissions, others are recorded. Idempotent by `external_id`.',
    CreateSale,
    SaleResult,
    {
      created: 'The referral and the commissions of the sale',
      known: 'The sale was already reported, or its customer has no referral',
    },
  ),
  createRefund: ingest(
    'refunds',
    'Report a refund',
    'A full refund voids pending commissions; a partial refund, or one after approval, claws back its share. Idempotent by `external_id`.',
    CreateRefund,
    RefundResult,
    {
      created: 'Commissions that were voided, and clawbacks',
      known: 'The first result, if the refund was already reported',
    },
  ),
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof operations

/** What the operations with a tag are about. */
export const tagDescriptions: Record<string, string> = {
  Affiliates:
    'The people and companies that promote your product. Unique by email, enrolled in one or more campaigns.',
  Campaigns: 'The terms that affiliates earn commissions under.',
  Referrals: 'Customers attributed to an affiliate.',
  Commissions: 'The ledger: commissions, clawbacks, adjustments, credit and payouts.',
  Payouts: 'Batches of payments to affiliates.',
  'Webhook endpoints': 'URLs that receive events.',
  Ingestion: 'Conversions, sales and refunds reported by your backend.',
  Events: 'Signed requests to your webhook endpoints, delivered at least once and in no guaranteed order.',
}

/** The named schemas of the OpenAPI document. */
export const components = {
  Affiliate,
  AffiliateList,
  Campaign,
  CampaignList,
  Referral,
  ReferralList,
  Commission,
  CommissionList,
  Payout,
  PayoutItem,
  PayoutList,
  WebhookEndpoint,
  WebhookEndpointCreated,
  WebhookEndpointList,
  MagicLink,
  CreateAffiliate,
  UpdateAffiliate,
  UpdateCommission,
  CreateWebhookEndpoint,
  CreateConversion,
  CreateSale,
  CreateRefund,
  ConversionResult,
  SaleResult,
  RefundResult,
  Attribution,
  AttributionCandidate,
  ...eventComponents,
}
