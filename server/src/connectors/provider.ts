import type { Reading } from './reading.ts'

/** A billing event whose signature was verified. */
export interface VerifiedEvent {
  /** The provider's ID of the event: a repeated delivery has the same. */
  id: string
  type: string
  /** When it happened, as the provider says; RFC 3339. Events are processed in this order where possible. */
  occurredAt: string
  /** The parsed body. */
  body: unknown
}

/** `isPing`: only asks whether the address answers; nothing is stored. */
export type Verification = { event: VerifiedEvent } | { refused: Refusal } | { isPing: true }
/** `signature`: missing or wrong; `stale`: signed too long ago; `malformed`: signed, but not an event; `unknown_type`: not the provider's. */
export type Refusal = 'signature' | 'stale' | 'malformed' | 'unknown_type'

/** The settings of a connector that decide how its events are read. */
export interface ReadSettings {
  /** The base of commissions: what was paid without taxes and discounts, or with taxes. */
  base: 'net' | 'gross'
  /** Whether events of the provider's test mode are taken; their conversions are marked as tests. */
  takesTests: boolean
  /** How a generic connector finds its fields; for other providers an empty object. */
  mapping: Record<string, unknown>
}

export interface BillingProvider {
  name: string
  /** Verifies the signature over the raw body. `headers` has lower-case names; `now` is in milliseconds. */
  verify(
    headers: Record<string, string | string[] | undefined>,
    rawBody: Buffer,
    secret: string,
    now: number,
    mapping: ReadSettings['mapping'],
  ): Verification | Promise<Verification>
  /** Whether the provider sends events of a type at all, needed or not. A provider without this sends any. */
  hasType?(type: string): boolean
  read(event: VerifiedEvent, settings: ReadSettings): Reading
  /** For providers whose API can be asked for what their webhooks missed. */
  listSince?: ListSince
  /** For providers whose API also lists the events themselves: what began before a time and ended after it has an event after it. */
  eventsSince?: ListSince
  /** Adds to a listed event what the list lacks and its webhook would have said. */
  complete?(api: ProviderApi, event: VerifiedEvent): Promise<VerifiedEvent>
  /** For providers at which an affiliate's coupon code can be created. */
  codes?: CodesApi
  /** For providers at which customers have a balance that credit can be added to. */
  credits?: CreditsApi
  /** What is wrong with a mapping; undefined if nothing is. A provider without this takes none. */
  mappingProblem?(mapping: ReadSettings['mapping']): string | undefined
}

/**
 * What the provider's API lists, as events like those of its webhooks. Their IDs are stable: listing again repeats them. Once the signal is
 * aborted, it asks for no further page, and throws.
 */
export type ListSince = (
  api: ProviderApi,
  since: string,
  signal?: AbortSignal,
) => AsyncGenerator<VerifiedEvent>

/** How to call a provider's API. */
export interface ProviderApi {
  key: string
  url: string | null
}

/** A code that customers type, at the provider. */
export interface ProviderCode {
  id: string
  code: string
  coupon: string | null
  isActive: boolean
  /** Under which key we created it; undefined for a code that was made at the provider. */
  key: string | undefined
}

export interface NewCode {
  code: string
  coupon: string
  affiliateId: number
  /** Repeating a call under its key makes one code. */
  key: string
}

/** Throws `invalid_state` or `conflict` if the provider rejects a call, `unavailable` if its outcome is unknown. */
export interface CodesApi {
  assertCoupon(api: ProviderApi, coupon: string): Promise<void>
  /** The newest active ones. */
  list(api: ProviderApi): Promise<ProviderCode[]>
  find(api: ProviderApi, id: string): Promise<ProviderCode>
  /** The code that was created under a key, if it was. */
  findOurs(api: ProviderApi, code: Pick<NewCode, 'code' | 'key'>): Promise<ProviderCode | undefined>
  /** Creates a code, or returns the one that exists for the same coupon. */
  create(api: ProviderApi, code: NewCode): Promise<ProviderCode>
  setActive(api: ProviderApi, id: string, isActive: boolean): Promise<void>
}

/** A change of a customer's balance, in minor units: positive is credit for the customer. */
export interface BalanceChange {
  customer: string
  amountMinor: bigint
  currency: string
  commissionId: number
  /** Under which it is found again. */
  key: string
  /** Repeating a call under it makes one change. The provider may forget it after a day. */
  idempotencyKey: string
}

/** Throws `invalid_state` if the provider rejects a call, `unavailable` if its outcome is unknown. */
export interface CreditsApi {
  /** Whether a key is of the provider's test mode, in which no balance is paid with. */
  isTest(api: ProviderApi): boolean
  /** The customer with an ID, or the only one with an email. The currency is null if the customer has none yet. */
  findCustomer(
    api: ProviderApi,
    who: { id: string } | { email: string },
  ): Promise<{ id: string; currency: string | null }>
  /** The provider's ID of the change that was made under a key since a time, if it was. */
  find(
    api: ProviderApi,
    change: { customer: string; key: string; since: string },
  ): Promise<string | undefined>
  /** Returns the provider's ID of it. Throws `conflict` if the provider rejected it: nothing was made under the idempotency key. */
  change(api: ProviderApi, change: BalanceChange): Promise<string>
}
