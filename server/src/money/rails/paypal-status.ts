import type { PaymentOutcome } from '@tributary/contract'

/**
 * The outcome for each status of a PayPal payout item. `UNCLAIMED` is returned after 30 days unless the recipient opens an
 * account, and `ONHOLD` is under review: neither has an outcome yet, so neither releases its commissions.
 */
export const itemOutcomes: Record<string, PaymentOutcome | null> = {
  SUCCESS: 'paid',
  FAILED: 'failed',
  PENDING: null,
  UNCLAIMED: null,
  RETURNED: 'failed',
  ONHOLD: null,
  BLOCKED: 'failed',
  REFUNDED: 'failed',
  REVERSED: 'failed',
}

/** A batch can be final while its items are not. */
export const batchOutcomes: Record<string, PaymentOutcome | undefined> = {
  DENIED: 'failed',
  CANCELED: 'canceled',
}

/**
 * The currencies PayPal pays out in with the same number of decimals as ISO 4217. HUF and TWD have two decimals there and none
 * at PayPal, so an amount could not be sent exactly.
 */
const currencies = new Set(
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB USD'.split(' '),
)
export const paypalPays = (currency: string) => currencies.has(currency)

/** PayPal's limit for one batch. */
export const PAYPAL_BATCH_ITEMS = 15_000
