import { type Static, Type } from 'typebox'
import { Beneficiary } from '../commission.ts'
import { Count, Currency, closed, Id, Minor, nullable, OneLine, oneOf, Timestamp } from '../fields.ts'
import {
  connectorCodeStatuses,
  connectorCreditStatuses,
  connectorEventKinds,
  connectorEventStatuses,
  connectorProviders,
  LONGEST_PATH,
  LONGEST_SAMPLE,
  MOST_EVENT_TYPES,
  mappedFields,
} from './connector-providers.ts'
import { allOf, change, Done, file, pageOf, pageQuery, read, searchText } from './schema.ts'

const Secret = Type.String({ minLength: 1, maxLength: 1000 })
const Base = oneOf(['net', 'gross'])

const Field = oneOf(mappedFields)

/** Where the fields of another system's events are. */
export const ConnectorMapping = closed({
  fields: Type.Array(closed({ field: Field, path: OneLine(LONGEST_PATH) }), {
    maxItems: mappedFields.length,
  }),
  /** What each type of event reports. */
  events: Type.Array(closed({ type: OneLine(255), kind: oneOf(connectorEventKinds) }), {
    maxItems: MOST_EVENT_TYPES,
  }),
  amounts: oneOf(['decimal', 'minor']),
  signature_header: OneLine(64),
})
export type ConnectorMapping = Static<typeof ConnectorMapping>

const Text = nullable(Type.String())

/** What a mapping makes of a sample: what it would report, or why not. Nothing is stored. */
export const MappingTrial = closed({
  /** What is wrong with the mapping or the sample as a whole. */
  problem: Text,
  event: nullable(closed({ id: Type.String(), type: Type.String(), occurred_at: Timestamp })),
  /** What each path finds in the sample, or the reason why it finds nothing. */
  fields: Type.Array(closed({ field: Field, value: Text, problem: Text })),
  reports: Type.Array(
    closed({
      kind: oneOf(connectorEventKinds),
      external_id: Text,
      customer: Text,
      sale_external_id: Text,
      /** Null for a refund of all that is left, and where the amount is in the currency of the sale. */
      amount_minor: nullable(Count),
      currency: Text,
      /** The amount as the event has it, where it names no currency. */
      amount_in_sale_currency: Text,
      click_id: Text,
      token: Text,
      coupon_code: Text,
      is_test: Type.Boolean(),
    }),
  ),
  ignored: Text,
})
export type MappingTrial = Static<typeof MappingTrial>

/** A connected billing system. Its secrets are never returned. */
export const ConnectorSummary = closed({
  id: Id,
  provider: Type.String(),
  /** Part of its external IDs; null for most. */
  name: nullable(Type.String()),
  /** The URL to enter at the provider. */
  webhook_url: Type.String(),
  /** Whether the signing secret is missing, which the provider shows only once it knows the URL. */
  needs_secret: Type.Boolean(),
  has_api_key: Type.Boolean(),
  campaign_id: nullable(Id),
  base: Base,
  takes_tests: Type.Boolean(),
  /** For systems whose fields can be anywhere; null for the others. */
  mapping: nullable(ConnectorMapping),
  /** The provider's coupon that the codes of affiliates belong to; null if none are created. */
  code_coupon: nullable(Type.String()),
  /** Whether credit rewards are granted as customer balance at the provider. */
  grants_credit: Type.Boolean(),
  created_at: Timestamp,
  synced_at: nullable(Timestamp),
  /** Why the last sync failed or was not complete. */
  sync_problem: nullable(Type.String()),
  last_event_at: nullable(Timestamp),
})
export type ConnectorSummary = Static<typeof ConnectorSummary>

/** A billing event, why it is in its state, and what it made. */
export const ConnectorEvent = closed({
  id: Id,
  provider_id: Type.String(),
  type: Type.String(),
  status: oneOf(connectorEventStatuses),
  reason: nullable(Type.String()),
  occurred_at: Timestamp,
  received_at: Timestamp,
  attempts: Count,
  next_attempt_at: nullable(Timestamp),
  referral_id: nullable(Id),
  sale_external_id: nullable(Type.String()),
  refund_external_id: nullable(Type.String()),
  commission_ids: Type.Array(Id),
})
export type ConnectorEvent = Static<typeof ConnectorEvent>

/** An affiliate's coupon code at the provider. */
export const ConnectorCode = closed({
  id: Id,
  affiliate_id: Id,
  affiliate_name: nullable(Type.String()),
  affiliate_email: Type.String(),
  code: Type.String(),
  status: oneOf(connectorCodeStatuses),
  /** Why the last call failed. */
  problem: nullable(Type.String()),
  next_attempt_at: nullable(Timestamp),
  /** The provider's ID. */
  external_id: nullable(Type.String()),
  /** Whether Tributary created it, and turns it off if the affiliate is rejected. */
  is_ours: Type.Boolean(),
  created_at: Timestamp,
})
export type ConnectorCode = Static<typeof ConnectorCode>

/** A code at the provider, and the affiliate whose coupon code it is. */
export const ProviderCode = closed({
  id: Type.String(),
  code: Type.String(),
  coupon: nullable(Type.String()),
  affiliate_id: nullable(Id),
})
export type ProviderCode = Static<typeof ProviderCode>

/** A change of a customer's balance at the provider: credit that was granted, or taken back. */
export const ConnectorCredit = closed({
  id: Id,
  connector_id: Id,
  commission_id: Id,
  beneficiary: Beneficiary,
  /** In the currency of the commission. Negative is taken back. */
  amount_minor: Minor,
  currency: Currency,
  status: oneOf(connectorCreditStatuses),
  /** The provider's customer, and what their balance changed by. */
  customer: nullable(Type.String()),
  balance_minor: nullable(Minor),
  balance_currency: nullable(Currency),
  /** Why the last call failed. */
  problem: nullable(Type.String()),
  next_attempt_at: nullable(Timestamp),
  /** The provider's ID. */
  external_id: nullable(Type.String()),
  created_at: Timestamp,
})
export type ConnectorCredit = Static<typeof ConnectorCredit>

const eventFilters = {
  /** The provider's ID of an event, or the ID of a sale. */
  q: searchText,
  status: Type.Optional(oneOf(connectorEventStatuses)),
}

export const connectorsSchemas = {
  listConnectors: read(allOf(ConnectorSummary)),
  getConnector: read(ConnectorSummary),
  createConnector: change(
    closed({
      provider: oneOf(connectorProviders),
      /** Tells several connectors of a system apart that numbers its orders from 1. */
      name: Type.Optional(Type.String({ maxLength: 32 })),
      campaign_id: Type.Optional(Id),
      base: Type.Optional(Base),
      takes_tests: Type.Optional(Type.Boolean()),
    }),
    ConnectorSummary,
  ),
  setConnectorSecrets: change(
    closed({ signing_secret: Type.Optional(Secret), api_key: Type.Optional(Secret) }, { minProperties: 1 }),
    ConnectorSummary,
  ),
  /** A dry run tries the mapping on a sample and stores nothing. */
  setConnectorMapping: change(
    closed({
      mapping: ConnectorMapping,
      sample: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_SAMPLE })),
      dry_run: Type.Optional(Type.Boolean()),
    }),
    closed({ mapping: ConnectorMapping, trial: nullable(MappingTrial) }),
  ),
  /** Null creates no codes from now on. */
  setConnectorCoupon: change(closed({ coupon: nullable(OneLine(200)) }), ConnectorSummary),
  listConnectorCodes: read(pageOf(ConnectorCode), closed(pageQuery)),
  exportConnectorCodes: file(),
  listProviderCodes: read(allOf(ProviderCode)),
  assignConnectorCode: change(
    closed({ code_id: OneLine(255), affiliate_id: Id }),
    closed({ code: Type.String() }),
  ),
  retryConnectorCodes: change(closed({}), closed({ codes: Count })),
  setConnectorCredits: change(closed({ is_on: Type.Boolean() }), ConnectorSummary),
  listConnectorCredits: read(pageOf(ConnectorCredit), closed(pageQuery)),
  exportConnectorCredits: file(),
  retryConnectorCredits: change(closed({}), closed({ credits: Count })),
  removeConnector: change(closed({}), Done),
  listConnectorEvents: read(pageOf(ConnectorEvent), closed({ ...pageQuery, ...eventFilters })),
  exportConnectorEvents: file(closed(eventFilters)),
  /** Without a provider's ID: every event that failed. */
  replayConnectorEvents: change(
    closed({ provider_id: Type.Optional(OneLine(255)) }),
    closed({ events: Count }),
  ),
}
