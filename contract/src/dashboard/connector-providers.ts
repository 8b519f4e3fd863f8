/** The billing systems that can be connected. Without schemas, as the pages import it too. */
export const connectorProviders = [
  'stripe',
  'paddle',
  'lemonsqueezy',
  'shopify',
  'woocommerce',
  'custom',
] as const
export type ConnectorProvider = (typeof connectorProviders)[number]

/** Those that number their orders and customers from 1: of several in an account, all but one have a name. */
export const numberedProviders = ['woocommerce', 'custom'] as const satisfies ConnectorProvider[]

/** The events to select at Stripe: those that mean something here. */
export const stripeEventTypes = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'customer.created',
  'customer.updated',
  'customer.discount.created',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.paid',
  'invoice_payment.paid',
  'charge.succeeded',
  'charge.captured',
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'credit_note.created',
  'credit_note.voided',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'promotion_code.created',
  'promotion_code.updated',
] as const

export const connectorEventStatuses = ['received', 'applied', 'ignored', 'waiting', 'failed'] as const
export type ConnectorEventStatus = (typeof connectorEventStatuses)[number]

/** What a type of event of another system reports. */
export const connectorEventKinds = ['customer', 'sale', 'refund', 'refund_reversed'] as const
export type ConnectorEventKind = (typeof connectorEventKinds)[number]

/** The fields whose place in the body a mapping says, as paths such as `data.order.items[0].id`. */
export const mappedFields = [
  'event_id',
  'type',
  'occurred_at',
  'customer',
  'email',
  'click_id',
  'token',
  'coupon_code',
  'subscription',
  'sale_id',
  'amount',
  'paid',
  'currency',
  'refund_id',
  'refund_amount',
  'is_test',
] as const
export type MappedField = (typeof mappedFields)[number]

/** The longest path, type of event and sample that are taken. */
export const LONGEST_PATH = 255
export const MOST_EVENT_TYPES = 100
export const LONGEST_SAMPLE = 65_536

export const subscriptionStatuses = ['trialing', 'active', 'past_due', 'paused', 'canceled'] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

export const connectorCodeStatuses = ['pending', 'active', 'inactive', 'failed'] as const
export type ConnectorCodeStatus = (typeof connectorCodeStatuses)[number]

export const connectorCreditStatuses = ['pending', 'granted', 'taken_back', 'failed'] as const
export type ConnectorCreditStatus = (typeof connectorCreditStatuses)[number]
