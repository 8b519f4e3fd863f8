import type Stripe from 'stripe'

/** Parts of Stripe's objects, checked against the types of Stripe's package. */
type Parts<T> = T extends (infer Item)[]
  ? Parts<Item>[]
  : T extends object
    ? { [Name in keyof T]?: Parts<T[Name]> | undefined }
    : T

export type StripeEvent = {
  id: string
  type: Stripe.Event['type']
  created: number
  livemode: boolean
  data: { object: object }
}

export const START = Date.UTC(2026, 0, 1) / 1000
export const DAY = 86_400

let events = 0
export const event = (
  type: Stripe.Event['type'],
  object: object,
  created: number,
  overrides: Partial<StripeEvent> = {},
): StripeEvent & { object: string } => ({
  id: `evt_${++events}_${Math.random().toString(36).slice(2, 8)}`,
  object: 'event',
  type,
  created,
  livemode: true,
  data: { object },
  ...overrides,
})

const checked = <T>(parts: Parts<T>): Parts<T> => parts

export const session = (id: string, parts: Parts<Stripe.Checkout.Session>) =>
  checked<Stripe.Checkout.Session>({
    id,
    object: 'checkout.session',
    created: START,
    livemode: true,
    mode: 'subscription',
    status: 'complete',
    payment_status: 'paid',
    currency: 'usd',
    discounts: [],
    metadata: {},
    ...parts,
  })

export const invoice = (id: string, parts: Parts<Stripe.Invoice>) =>
  checked<Stripe.Invoice>({
    id,
    object: 'invoice',
    created: START,
    livemode: true,
    status: 'paid',
    currency: 'usd',
    total: 12_000,
    total_excluding_tax: 10_000,
    amount_paid: 12_000,
    status_transitions: { paid_at: parts.created ?? START },
    discounts: [],
    metadata: {},
    lines: { data: [] },
    ...parts,
  })

export const invoicePayment = (invoiceId: string, payment_intent: string) =>
  checked<Stripe.InvoicePayment>({
    id: `ip_${invoiceId}`,
    object: 'invoice_payment',
    invoice: invoiceId,
    livemode: true,
    status: 'paid',
    payment: { type: 'payment_intent', payment_intent },
  })

/** The payments of an invoice, as the invoice lists them. */
export const paymentsOf = (payment_intent: string) => ({
  object: 'list' as const,
  data: [{ payment: { type: 'payment_intent' as const, payment_intent } }],
})

export const charge = (id: string, parts: Parts<Stripe.Charge>) =>
  checked<Stripe.Charge>({
    id,
    object: 'charge',
    created: START,
    livemode: true,
    amount: 5_000,
    amount_captured: 5_000,
    amount_refunded: 0,
    captured: true,
    paid: true,
    status: 'succeeded',
    currency: 'usd',
    metadata: {},
    ...parts,
  })

export const refund = (id: string, parts: Parts<Stripe.Refund>) =>
  checked<Stripe.Refund>({
    id,
    object: 'refund',
    created: START,
    status: 'succeeded',
    currency: 'usd',
    metadata: {},
    ...parts,
  })

export const dispute = (id: string, parts: Parts<Stripe.Dispute>) =>
  checked<Stripe.Dispute>({
    id,
    object: 'dispute',
    created: START,
    livemode: true,
    currency: 'usd',
    ...parts,
  })

export const creditNote = (id: string, parts: Parts<Stripe.CreditNote>) =>
  checked<Stripe.CreditNote>({
    id,
    object: 'credit_note',
    created: START,
    livemode: true,
    currency: 'usd',
    refunds: [],
    pre_payment_amount: 0,
    ...parts,
  })

export const subscription = (id: string, parts: Parts<Stripe.Subscription>) =>
  checked<Stripe.Subscription>({
    id,
    object: 'subscription',
    created: START,
    livemode: true,
    status: 'active',
    discounts: [],
    metadata: {},
    pause_collection: null,
    ...parts,
  })

export const customer = (id: string, parts: Parts<Stripe.Customer>) =>
  checked<Stripe.Customer>({
    id,
    object: 'customer',
    created: START,
    livemode: true,
    metadata: {},
    ...parts,
  })
