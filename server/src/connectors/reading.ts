import type { SubscriptionStatus } from '@tributary/contract/dashboard/connector-providers'

/**
 * What a billing event asks us to do, or why nothing. Reading is pure: no clock, no database, no network, so that a provider is a table of
 * events and what they mean. External IDs carry the provider's name (`stripe:in_1`), because an account may connect several.
 */
export type Reading = { reports: BillingReport[] } | { ignored: Ignored }

/** Why an event changes nothing: a code and its parameters, put into words where it is shown. */
export interface Ignored {
  code: IgnoredCode
  params?: Record<string, string>
}

export type IgnoredCode =
  /** An event type that has no meaning here; param `type`. */
  | 'unknown_type'
  /** The provider's test mode, and the connector takes live events only. */
  | 'test_mode'
  | 'zero_amount'
  /** Taxes were refunded, which commissions are not based on. */
  | 'tax_only'
  /** The customer has no referral; param `customer`. */
  | 'no_referral'
  /** Nothing names an affiliate: no click, token or coupon code. */
  | 'no_evidence'
  /** There was evidence, but it credits no one; param `because` is the reason of the attribution. */
  | 'not_credited'
  /** Not paid yet, or not a final state; param `status`. */
  | 'not_final'
  /** Another event reports the same money; param `by`. */
  | 'reported_by_other'
  /** A credit to the customer's balance, which reduces what later invoices receive. */
  | 'credited_to_balance'
  /** The sale has been refunded in full already. */
  | 'nothing_left'
  /** The event lacks what a report needs; param `field`. */
  | 'incomplete'

export type BillingReport =
  | CustomerReport
  | SaleReport
  | PaymentReport
  | CodeReport
  | RefundReport
  | RefundReversedReport
  | SubscriptionReport

/** Other events of the same purchase, which may name an affiliate, follow within seconds. */
export const PURCHASE_SETTLES_IN_SECONDS = 60
/** Providers report a customer who enters an email in a checkout, and the purchase, with its code or click, once it is paid. */
export const CHECKOUT_TAKES_SECONDS = 15 * 60

/** A customer who may have been referred: attribution is tried with all evidence given. */
export interface CustomerReport {
  kind: 'customer'
  customer: string
  clickId?: string
  /** Where the merchant may have put our click ID or another number: a click only if nothing else names an affiliate, nor a lead's email. */
  maybeClickId?: string
  /** What may be an affiliate's token, the most specific first: the same names are used for other things too. */
  tokens?: string[]
  /** Codes that were used, the most specific first: what the customer typed, or the provider's ID of it (see `CodeReport`). */
  couponCodes?: string[]
  email?: string
  /**
   * Set if the email may be one that a visitor left: of a purchase or a new customer, as any change of an old one mentions it. It counts if
   * nothing has named an affiliate by then.
   */
  leadCountsAfterSeconds?: number
  subscription?: string
  /** When the purchase began: sales since then belong to the referral. */
  occurredAt: string
  isTest?: boolean
}

export interface SaleReport {
  kind: 'sale'
  externalId: string
  customer: string
  /** The base of commissions. */
  amountMinor: bigint
  /** What the customer was charged, if it differs (taxes): refunds are given in proportion to it. */
  paidMinor?: bigint
  currency: string
  occurredAt: string
  subscription?: string
  /** The provider's IDs under which a refund may name this sale: payment, charge, order. */
  payments?: string[]
  products?: string[]
  /**
   * Set if another event may report the same money in more detail: then this one is considered only after that many seconds, and only if
   * none of its payments belongs to a sale by then.
   */
  unlessReportedWithinSeconds?: number
  /** Credited to a test referral only: it must never earn real money. */
  isTest?: boolean
}

/** Says which sale a payment belongs to, for providers that report the two apart. */
export interface PaymentReport {
  kind: 'payment'
  payment: string
  saleExternalId: string
}

/** The code behind the provider's ID of it; empty if it has none any more. */
export interface CodeReport {
  kind: 'code'
  id: string
  code: string
  occurredAt: string
}

export type RefundSource = 'refund' | 'dispute' | 'credit' | 'total'

/** Money that went back to the customer. The sale is named by its external ID, or by one of its payments. */
export interface RefundReport {
  kind: 'refund'
  externalId: string
  /** Default `refund`. `total` is what all refunds of the payment add up to, for providers that report the total too. */
  source?: RefundSource
  sale: { externalId: string } | { payment: string }
  /** In the units of the sale's `paidMinor`; without any amount, all that is left. */
  amountMinor?: bigint
  /** Without taxes, in the units of the sale's `amountMinor`, for providers that refund taxes apart. */
  netMinor?: bigint
  /** In whole units, such as 12.34, of the sale's currency, where the event names none. */
  amountDecimal?: string
  currency?: string
  occurredAt: string
}

/** A refund that did not happen after all: it failed, or a dispute was won. What it took back is given back. */
export interface RefundReversedReport {
  kind: 'refund_reversed'
  refundExternalId: string
  source?: RefundSource
  occurredAt: string
}

/** The state of a subscription, shown on the referral. */
export interface SubscriptionReport {
  kind: 'subscription'
  customer: string
  subscription: string
  status: SubscriptionStatus
  occurredAt: string
}
