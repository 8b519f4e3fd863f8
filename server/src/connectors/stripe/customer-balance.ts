import Stripe from 'stripe'
import { conflict, invalidState } from '../../kit/domain-error.ts'
import { DAY_MS } from '../../kit/timestamp.ts'
import { currencyFrom } from '../amounts.ts'
import type { BalanceChange, CreditsApi, ProviderApi } from '../provider.ts'
import { stripeAmountOf } from './objects.ts'
import { calling, clientOf } from './stripe-client.ts'

/** Says which of our changes this is: found again when Stripe has forgotten the idempotency key, after a day. */
const KEY = 'tributary_key'
const LISTED = 100

async function customerOf(stripe: Stripe, who: { id: string } | { email: string }): Promise<Stripe.Customer> {
  if ('id' in who) {
    const found = await stripe.customers.retrieve(who.id)
    if (found.deleted) throw invalidState(`Customer ${who.id} was deleted at Stripe.`)
    return found
  }
  const { data } = await stripe.customers.list({ email: who.email, limit: 2 })
  const [found] = data
  if (!found) throw invalidState(`No customer at Stripe has the email ${who.email}.`)
  if (data.length > 1) throw invalidState(`Several customers at Stripe have the email ${who.email}.`)
  return found
}

/** Stripe rejected the change itself. Not with 409: then another call under the same key is under way. */
const isRejected = (error: unknown) =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode !== 409

async function change(api: ProviderApi, wanted: BalanceChange): Promise<string> {
  const { customer, amountMinor, currency, commissionId, key, idempotencyKey } = wanted
  try {
    // At Stripe, a negative amount is credit for the customer.
    const made = await clientOf(api).customers.createBalanceTransaction(
      customer,
      {
        amount: stripeAmountOf(-amountMinor, currency),
        currency: currency.toLowerCase(),
        description: amountMinor > 0n ? 'Referral reward' : 'Referral reward taken back',
        metadata: { [KEY]: key, tributary_commission_id: String(commissionId) },
      },
      { idempotencyKey },
    )
    return made.id
  } catch (error) {
    if (isRejected(error)) throw conflict(`Stripe's API: ${(error as Error).message}`)
    throw error
  }
}

/** Customer balance transactions of Stripe. */
export const stripeCredits: CreditsApi = {
  isTest: ({ key }) => key.includes('_test_'),
  findCustomer: (api, who) =>
    calling(async () => {
      const { id, currency, livemode } = await customerOf(clientOf(api), who)
      if (!livemode)
        throw invalidState(`Customer ${id} is of Stripe's test mode. Use an API key of live mode.`)
      return { id, currency: currencyFrom(currency ?? undefined) ?? null }
    }),
  find: (api, { customer, key, since }) =>
    calling(async () => {
      // A day earlier: two clocks.
      const gte = Math.floor((Date.parse(since) - DAY_MS) / 1000)
      const listed = clientOf(api).customers.listBalanceTransactions(customer, {
        created: { gte },
        limit: LISTED,
      })
      for await (const { id, metadata } of listed) if (metadata?.[KEY] === key) return id
      return undefined
    }),
  change: (api, wanted) => calling(() => change(api, wanted)),
}
