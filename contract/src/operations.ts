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
  /** The full path, with `{id}` where an identifier stands. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly query: TSchema
  /** Absent where the operation takes no body. */
  readonly body?: TSchema
  /** Success statuses with what they carry; null is no body at all. */
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
  summary: `List ${tag.toLowerCase()}, newest first`,
  description: `Returns ${tag.toLowerCase()} of the account, one page at a time. Filters combine with AND; pass the last \`id\` as \`starting_after\` to get the next page.`,
  query,
  success: { 200: { schema: page, meaning: 'A page' } },
  errors: anyRequest,
})

const get = <P extends string, T extends TSchema>(path: P, tag: string, noun: string, schema: T) => ({
  method: 'GET' as const,
  path: `/api/v1/${path}/{id}` as const,
  tag,
  summary: `Get ${noun}`,
  description: `Returns ${noun} of the account by its \`id\`.`,
  query: noQuery,
  success: { 200: { schema, meaning: `The ${noun.replace(/^an? /, '')}` } },
  errors: [...anyRequest, 'not_found'] as const,
})

/** What a merchant's backend reports. Doing it twice is never an error: the second answer is 200. */
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

/** Every operation of the public API: the routes, the OpenAPI document and the tests all come from here. */
export const operations = {
  listAffiliates: list('affiliates', 'Affiliates', ListAffiliatesQuery, AffiliateList),
  createAffiliate: {
    method: 'POST',
    path: '/api/v1/affiliates',
    tag: 'Affiliates',
    summary: 'Create an affiliate, or enrol an existing one in a further campaign',
    description:
      'A new affiliate is `pending`. A known email is enrolled in the campaign and nothing else about the affiliate changes; repeating it does nothing.',
    query: noQuery,
    body: CreateAffiliate,
    success: {
      201: { schema: Affiliate, meaning: 'The new affiliate' },
      200: {
        schema: Affiliate,
        meaning: 'The email existed already: the affiliate, now enrolled in the campaign',
      },
    },
    errors: [...withBody, 'conflict'],
  },
  getAffiliate: get('affiliates', 'Affiliates', 'an affiliate', Affiliate),
  updateAffiliate: {
    method: 'PATCH',
    path: '/api/v1/affiliates/{id}',
    tag: 'Affiliates',
    summary: 'Change an affiliate; approve or reject it',
    description:
      'Fields left out stay as they are; null clears one that may be empty. `approved` and `rejected` may follow each other; `pending` is refused.',
    query: noQuery,
    body: UpdateAffiliate,
    success: { 200: { schema: Affiliate, meaning: 'The affiliate after the change' } },
    errors: [...withBody, 'not_found', 'conflict'],
  },
  createMagicLink: {
    method: 'POST',
    path: '/api/v1/affiliates/{id}/magic_link',
    tag: 'Affiliates',
    summary: 'Mint a single-use sign-in link to the portal, valid for 15 minutes',
    description:
      'Send the affiliate to the link from your own site. Older links stay valid; a rejected affiliate gets none.',
    query: noQuery,
    success: { 200: { schema: MagicLink, meaning: 'The link' } },
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
    description: 'Only a pending commission can be approved or voided. Its pending clawbacks go with it.',
    query: noQuery,
    body: UpdateCommission,
    success: { 200: { schema: Commission, meaning: 'The commission after the change' } },
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
    summary: 'Subscribe an endpoint to events',
    description:
      'The signing secret is returned once, here. The URL has to be https, unless private destinations are allowed.',
    query: noQuery,
    body: CreateWebhookEndpoint,
    success: {
      201: { schema: WebhookEndpointCreated, meaning: 'The endpoint with its secret, shown this once' },
    },
    errors: [...withBody, 'conflict'],
  },
  deleteWebhookEndpoint: {
    method: 'DELETE',
    path: '/api/v1/webhook_endpoints/{id}',
    tag: 'Webhook endpoints',
    summary: 'Unsubscribe an endpoint',
    description: 'Ends its deliveries, also those that are still to be retried.',
    query: noQuery,
    success: { 204: { schema: null, meaning: 'Unsubscribed; no body' } },
    errors: [...withBody, 'not_found'],
  },
  createConversion: ingest(
    'conversions',
    'Report that a customer converted, and learn who gets the credit and why',
    'Attributes the customer by coupon code, click or token and records the first sale where one is given. Every customer converts once in a campaign.',
    CreateConversion,
    ConversionResult,
    {
      created: 'The referral, what the sale earned, and the explanation',
      known: 'The customer is known already: the first answer again; or nobody is credited, with the reason',
    },
  ),
  createSale: ingest(
    'sales',
    'Report a sale; exactly once by its `external_id`',
    'Report every sale: one of a referred customer earns commissions, any other is kept.',
    CreateSale,
    SaleResult,
    {
      created: 'The referral and what the sale earned',
      known: 'The sale is known already, or its customer was referred by nobody',
    },
  ),
  createRefund: ingest(
    'refunds',
    'Report a refund; exactly once by its `external_id`',
    'A full refund voids pending commissions; a partial one, or one after approval, claws back its share.',
    CreateRefund,
    RefundResult,
    {
      created: 'What was voided or clawed back',
      known: 'The refund is known already: the first answer again',
    },
  ),
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof operations

/** What the operations below a tag are about. */
export const tagDescriptions: Record<string, string> = {
  Affiliates:
    'The people and companies that promote; one affiliate per email, enrolled in one or more campaigns.',
  Campaigns: 'What affiliates promote, and on which terms.',
  Referrals: 'Customers that were attributed to an affiliate.',
  Commissions: 'The ledger: what was earned, clawed back, adjusted and paid.',
  Payouts: 'Batches of payments to affiliates.',
  'Webhook endpoints': 'Addresses that receive events.',
  Ingestion: 'What your backend reports: conversions, sales and refunds.',
  Events:
    'Signed requests that the service sends to your webhook endpoints, at least once and in no fixed order.',
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
