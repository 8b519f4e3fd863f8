import { billingReasonText } from '@tributary/contract/billing-text'
import type { ConnectorRow } from './connector.store.ts'
import type { EventRow } from './connector-event.store.ts'
import { webhookUrl } from './manage-connectors.ts'

export const presentConnector = (baseUrl: string, connector: ConnectorRow) => ({
  id: connector.id,
  provider: connector.provider,
  name: connector.name,
  webhook_url: webhookUrl(baseUrl, connector),
  campaign_id: connector.campaign_id,
  base: connector.base,
  takes_tests: connector.takes_tests,
  has_api_key: connector.has_api_key,
  needs_secret: connector.needs_secret,
  api_url: connector.api_url,
  code_coupon: connector.code_coupon,
  grants_credit: connector.credits_since !== null,
  created_at: connector.created_at,
  synced_at: connector.synced_at,
  sync_problem: connector.sync_problem,
})

/** An event with its reason in words and what it made. */
export const presentEvent = (event: EventRow) => ({
  id: event.id,
  provider_id: event.provider_id,
  type: event.type,
  status: event.status,
  reason: event.reason ? billingReasonText(event.reason) : null,
  reason_code: event.reason?.code ?? null,
  occurred_at: event.occurred_at,
  received_at: event.received_at,
  attempts: event.attempts,
  next_attempt_at: event.due_at,
  referral_id: event.referral_id,
  sale_external_id: event.sale_external_id,
  refund_external_id: event.refund_external_id,
  commission_ids: event.commission_ids,
})
