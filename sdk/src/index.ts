export type {
  Affiliate,
  Attribution,
  AttributionCandidate,
  Campaign,
  Commission,
  ConversionResult,
  CreateAffiliate,
  CreateConversion,
  CreateRefund,
  CreateSale,
  CreateWebhookEndpoint,
  ErrorCode,
  Event,
  EventKind,
  ListAffiliatesQuery,
  ListCampaignsQuery,
  ListCommissionsQuery,
  ListPayoutsQuery,
  ListReferralsQuery,
  ListWebhookEndpointsQuery,
  MagicLink,
  Payout,
  PayoutItem,
  Referral,
  RefundResult,
  SaleResult,
  UpdateAffiliate,
  UpdateCommission,
  WebhookEndpoint,
  WebhookEndpointCreated,
} from '@tributary/contract'
export {
  TributaryConnectionError,
  TributaryError,
  type TributaryErrorCode,
  TributaryTimeoutError,
} from './errors.ts'
export type { CallOptions, TributaryOptions, WriteOptions } from './options.ts'
export type { Answer, Call, List, Page } from './results.ts'
export { Tributary } from './tributary.ts'
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from './verify-webhook.ts'
