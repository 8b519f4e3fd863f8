/** Protects bad input from being stored: a type is taken if the provider has it, needed or not, and refused otherwise. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { providerOf } from './providers.ts'
import { allStripeTypes } from './stripe/event-types.ts'

it("Stripe's are those that its package declares", () => {
  const entry = dirname(createRequire(import.meta.url).resolve('stripe'))
  const declarations = readFileSync(join(entry, 'resources/WebhookEndpoints.d.ts'), 'utf8')
  const [, union = ''] = /type EnabledEvent = ([^;]+);/.exec(declarations) ?? []
  const declared = [...union.matchAll(/'([\w.]+)'/g)].map(([, type]) => type)
  expect(declared.length).toBeGreaterThan(200)
  expect([...allStripeTypes].sort()).toEqual(declared.sort())
})

/** Types by provider: read here, not needed here, and unknown to the provider. */
const types: [string, { read: string[]; notNeeded: string[]; unknown: string[] }][] = [
  [
    'stripe',
    {
      read: ['invoice.paid', 'checkout.session.completed', 'charge.dispute.funds_withdrawn'],
      notNeeded: ['account.application.authorized', 'payout.paid'],
      unknown: ['invoice.framed', 'invoice', 'paid', '*', '__proto__', 'Invoice.Paid'],
    },
  ],
  [
    'paddle',
    {
      read: ['transaction.completed', 'adjustment.updated', 'subscription.canceled', 'discount.created'],
      notNeeded: ['product.created', 'payout.paid'],
      unknown: ['transaction.framed', 'transaction'],
    },
  ],
  [
    'lemonsqueezy',
    {
      read: ['order_created', 'order_refunded', 'subscription_payment_recovered', 'subscription_unpaused'],
      notNeeded: ['license_key_created', 'subscription_plan_changed'],
      unknown: ['order_framed', 'order'],
    },
  ],
  [
    'shopify',
    {
      read: ['orders/paid', 'orders/cancelled', 'refunds/create', 'orders/updated'],
      notNeeded: ['products/update', 'customer.tags_added', 'orders/of_next_quarter'],
      unknown: ['orders', 'orders/', 'invoices/framed', 'orders/paid/twice'],
    },
  ],
  [
    'woocommerce',
    {
      read: ['order.created', 'order.updated', 'order.restored'],
      notNeeded: ['product.updated', 'subscription.switched', 'action.woocommerce_add_to_cart'],
      unknown: ['order.framed', 'order', 'orders.updated', 'action.'],
    },
  ],
]

describe.each(types)('%s', (name, { read, notNeeded, unknown }) => {
  it('has what is read and what is not needed, and nothing else', async () => {
    const provider = await providerOf(name)
    const known = [...read, ...notNeeded, ...unknown].filter(type => provider?.hasType?.(type))
    expect(known).toEqual([...read, ...notNeeded])
  })
})
