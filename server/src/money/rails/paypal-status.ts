import type { ItemReport } from './rail.ts'

/**
 * What each status of a PayPal payout item means for us. An unclaimed one waits for its receiver to open an account and comes
 * back after 30 days; one on hold is being looked at. Neither is decided, so neither releases anything.
 */
export const itemStates: Record<string, ItemReport['state']> = {
  SUCCESS: 'paid',
  FAILED: 'failed',
  PENDING: 'processing',
  UNCLAIMED: 'processing',
  RETURNED: 'returned',
  ONHOLD: 'processing',
  BLOCKED: 'failed',
  REFUNDED: 'returned',
  REVERSED: 'returned',
}

/** A whole batch can end without its items saying so. */
export const batchStates: Record<string, ItemReport['state'] | undefined> = {
  DENIED: 'failed',
  CANCELED: 'canceled',
}

/**
 * What PayPal pays out in, among the currencies whose minor units it takes as they are. The forint and the Taiwan dollar have
 * two decimals, of which PayPal takes none: an amount could not be sent exactly.
 */
const currencies = new Set(
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB USD'.split(' '),
)
export const paypalPays = (currency: string) => currencies.has(currency)

/** The most that one batch may hold. */
export const PAYPAL_BATCH_ITEMS = 15_000
