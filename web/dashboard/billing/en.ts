import {
  type ConnectorCodeStatus,
  type ConnectorCreditStatus,
  type ConnectorEventStatus,
  type ConnectorProvider,
  type MappedField,
  stripeEventTypes,
} from '@tributary/contract/dashboard/connector-providers'

/** What to do at a provider. */
export interface ProviderSteps {
  name: string
  /** In order; the webhook URL and the secret are entered on the page itself. */
  steps: string[]
  /** The events to select there. */
  events: readonly string[]
  /** Where the secret comes from. */
  secretHint: string
}

const providers: Record<ConnectorProvider, ProviderSteps> = {
  stripe: {
    name: 'Stripe',
    steps: [
      'In the Stripe Dashboard, open Developers → Webhooks and add an endpoint.',
      'Enter the webhook URL and select the events below.',
      'Reveal the signing secret of the endpoint and enter it here.',
      'Pass the click ID or the affiliate’s token: as metadata of the session, customer or subscription, or as client_reference_id, with tributary_ before a click ID. The tracking script does this for payment links and pricing tables.',
    ],
    events: stripeEventTypes,
    secretHint: 'Begins with whsec_.',
  },
  paddle: {
    name: 'Paddle',
    steps: [
      'In Paddle, open Developer Tools → Notifications and create a destination of type webhook.',
      'Enter the webhook URL and select the events below.',
      'Copy the secret key of the destination and enter it here.',
    ],
    events: [
      'transaction.completed',
      'adjustment.created',
      'adjustment.updated',
      'customer.created',
      'customer.updated',
      'subscription.created',
      'subscription.activated',
      'subscription.trialing',
      'subscription.updated',
      'subscription.past_due',
      'subscription.paused',
      'subscription.resumed',
      'subscription.canceled',
      'discount.created',
      'discount.updated',
    ],
    secretHint: 'Begins with pdl_.',
  },
  lemonsqueezy: {
    name: 'Lemon Squeezy',
    steps: [
      'Choose a long random secret and enter it here.',
      'In Lemon Squeezy, open Settings → Webhooks and add a webhook with the same secret.',
      'Enter the webhook URL there and select the events below.',
    ],
    events: [
      'order_created',
      'order_refunded',
      'subscription_created',
      'subscription_updated',
      'subscription_payment_success',
      'subscription_payment_refunded',
    ],
    secretHint: 'The signing secret that you chose, up to 40 characters.',
  },
  shopify: {
    name: 'Shopify',
    steps: [
      'In the Shopify admin, open Settings → Notifications → Webhooks.',
      'Create a webhook in JSON format for each event below, with the webhook URL.',
      'Copy the secret that the page shows below the webhooks and enter it here.',
    ],
    events: ['orders/paid', 'orders/cancelled', 'refunds/create'],
    secretHint: 'Shown at the end of the page with the webhooks.',
  },
  woocommerce: {
    name: 'WooCommerce',
    steps: [
      'Choose a long random secret and enter it here.',
      'In WordPress, open WooCommerce → Settings → Advanced → Webhooks and add a webhook with the topic below.',
      'Enter the webhook URL as the delivery URL, and the same secret.',
    ],
    events: ['order.updated'],
    secretHint: 'The secret that you chose.',
  },
  custom: {
    name: 'Other system',
    steps: [
      'Choose a long random secret and enter it here.',
      'Let your system send its events as JSON to the webhook URL, signed with the HMAC-SHA256 of the body in the header Tributary-Signature.',
      'Enter below where its fields are, and try it on a sample event.',
    ],
    events: [],
    secretHint: 'The secret that you chose.',
  },
}

const statuses: Record<ConnectorEventStatus, string> = {
  received: 'Received',
  applied: 'Applied',
  ignored: 'Ignored',
  waiting: 'Waiting',
  failed: 'Failed',
}

const mappedFieldNames: Record<MappedField, string> = {
  event_id: 'Event ID',
  type: 'Event type',
  occurred_at: 'Time',
  customer: 'Customer ID',
  email: 'Customer email',
  click_id: 'Click ID',
  token: 'Affiliate token',
  coupon_code: 'Coupon code',
  subscription: 'Subscription ID',
  sale_id: 'Sale ID',
  amount: 'Amount: base of commissions',
  paid: 'Amount paid',
  currency: 'Currency',
  refund_id: 'Refund ID',
  refund_amount: 'Refund amount',
  is_test: 'Is a test',
}

const codeStatuses: Record<ConnectorCodeStatus, string> = {
  pending: 'Pending',
  active: 'Active',
  inactive: 'Off',
  failed: 'Failed',
}

const creditStatuses: Record<ConnectorCreditStatus, string> = {
  pending: 'Pending',
  granted: 'Granted',
  taken_back: 'Taken back',
  failed: 'Failed',
}

export const texts = {
  title: 'Billing',
  note: 'Connect a billing system, and sales and refunds arrive automatically.',
  docs: 'How it works',
  connect: 'Connect billing',
  providers,
  /** A provider that this page does not know, such as one of a newer server. */
  connectorName: ({ provider, name }: { provider: string; name: string | null }) => {
    const system = Object.hasOwn(providers, provider)
      ? providers[provider as ConnectorProvider].name
      : provider
    return name === null ? system : `${system} (${name})`
  },
  empty: 'No billing system connected',
  emptyNote: 'Connect Stripe, Paddle, Lemon Squeezy, Shopify, WooCommerce or your own system.',
  columns: { system: 'System', webhookUrl: 'Webhook URL', status: 'Status', lastEvent: 'Last event' },
  needsSecret: 'Needs secret',
  connected: 'Connected',
  syncFailed: 'Sync failed',
  create: {
    provider: 'Billing system',
    name: 'Name',
    nameHint:
      'Short and lower-case, such as eu. It becomes part of this system’s order numbers, so that they don’t clash with those of the one you have. To reconnect a system, enter the name it had.',
    campaign: 'Campaign',
    campaignHint: 'For customers whose click, token or coupon code does not decide the campaign.',
    anyCampaign: 'None',
    base: 'Commission base',
    net: 'Net: without taxes and discounts',
    gross: 'Gross: what the customer paid',
    tests: 'Accept events in test mode',
    testsHint: 'Their conversions are marked as tests and earn nothing.',
    done: 'Billing system added',
  },
  setup: {
    title: 'Set up',
    webhookUrl: 'Webhook URL',
    copyUrl: 'Copy webhook URL',
    events: 'Events',
    secret: 'Signing secret',
    apiKey: 'API key',
    apiKeyHint:
      'Optional. A restricted key with read access to Checkout Sessions, Invoices, Charges and Refunds, Disputes and Events to sync what webhooks missed, and write access to promotion codes and customers to create codes and grant credit.',
    secretSet: 'A signing secret is stored. Enter another one to replace it.',
    apiKeySet: 'An API key is stored. Enter another one to replace it.',
    save: 'Save',
    saved: 'Secrets saved',
    waiting: 'Events are rejected until you enter the signing secret.',
    syncProblem: 'The last sync was not complete',
    syncProblemNote: (problem: string) =>
      `${problem} Until a sync succeeds, sales and refunds that webhooks missed may be missing. The next sync runs within a day, or within an hour after you enter the key again.`,
  },
  mapping: {
    title: 'Mapping',
    note: 'Enter where each field is in the body of an event, as a path such as data.order.items[0].id. Leave out what your events don’t have. Changes apply to events that are processed from now on.',
    fields: mappedFieldNames,
    found: (value: string) => `Sample: ${value}`,
    events: 'Event types and what each reports',
    eventType: (place: number) => `Event type ${place}`,
    eventKind: (place: number) => `Reported by event type ${place}`,
    removeEvent: (place: number) => `Remove event type ${place}`,
    addEvent: 'Add event type',
    kinds: {
      customer: 'Customer',
      sale: 'Sale',
      refund: 'Refund',
      refund_reversed: 'Reversed refund',
    },
    amounts: 'Amounts',
    decimal: 'Decimal: 12.34',
    minor: 'Minor units: 1234',
    signatureHeader: 'Signature header',
    sample: 'Sample event',
    sampleHint: 'Paste the body of an event to try the mapping. Nothing is stored.',
    sampleTooLong: 'The sample is longer than 65,536 characters.',
    result: 'Result',
    event: (type: string, id: string) => `Event ${type}, ID ${id}`,
    ignored: (reason: string) => `Ignored: ${reason}`,
    reports: {
      sale: (id: string, amount: string, customer: string) =>
        `Sale ${id} of ${amount} by customer ${customer}`,
      refund: (id: string, amount: string | null, sale: string) =>
        `Refund ${id} of ${amount ?? 'all that is left'} for sale ${sale}`,
      inSaleCurrency: (amount: string) => `${amount} (in the sale’s currency)`,
      refundReversed: (id: string) => `Reversal of refund ${id}`,
      customer: (customer: string, evidence: string[]) =>
        `Referral of customer ${customer} by ${evidence.join(', ')}`,
      click: (id: string) => `click ${id}`,
      token: (token: string) => `token ${token}`,
      coupon: (code: string) => `coupon code ${code}`,
      test: '(test)',
    },
    save: 'Save mapping',
    saved: 'Mapping saved',
  },
  events: {
    title: 'Events',
    export: 'Export events',
    columns: {
      event: 'Event',
      status: 'Status',
      outcome: 'Outcome',
      received: 'Received',
      actions: 'Actions',
    },
    status: 'Status',
    statuses,
    searchHint: 'Event or sale ID',
    empty: 'No events yet',
    emptyNote: 'Events appear here a moment after the billing system sends them.',
    noMatch: 'No matching events',
    referral: 'Referral',
    commission: (id: number) => `Commission ${id}`,
    sale: (id: string) => `Sale ${id}`,
    refund: (id: string) => `Refund ${id}`,
    nextAttempt: (attempts: number, time: string) => `Attempt ${attempts}, next ${time}`,
    replay: 'Process again',
    replayFailed: 'Process failed events again',
    replayed: (events: number) => (events === 1 ? '1 event queued' : `${events} events queued`),
  },
  nextAttempt: (time: string) => `Next attempt ${time}`,
  codes: {
    title: 'Coupon codes',
    note: 'Enter a coupon from Stripe to create a promotion code for each approved affiliate with a coupon code. The code is turned off if the affiliate is rejected or gets another one.',
    needsKey: 'Enter an API key that may write promotion codes to create and assign codes.',
    coupon: 'Stripe coupon ID',
    couponHint: 'New codes belong to this coupon. Leave it empty to create none.',
    save: 'Save coupon',
    saved: 'Coupon saved',
    columns: { code: 'Code', affiliate: 'Affiliate', status: 'Status', created: 'Created' },
    statuses: codeStatuses,
    atProvider: 'Created at Stripe',
    empty: 'No codes yet',
    emptyNote: 'Codes appear here a moment after an affiliate is approved.',
    export: 'Export codes',
    retry: 'Retry failed codes',
    retried: (codes: number) => (codes === 1 ? '1 code queued' : `${codes} codes queued`),
    assign: {
      action: 'Assign code',
      title: 'Assign a code',
      note: 'The code becomes the affiliate’s coupon code. Checkouts with it credit them.',
      code: 'Code at Stripe',
      none: 'Stripe has no active promotion code without an affiliate.',
      submit: 'Assign code',
      done: (code: string) => `Code ${code} assigned`,
    },
  },
  credits: {
    title: 'Credit rewards',
    note: 'Credit rewards of referral campaigns are added to the customer’s balance at Stripe once they are approved, and pay for their next invoices. Refunds take their share back.',
    needsKey: 'Enter an API key that may write customers to grant credit rewards as customer balance.',
    switch: 'Grant credit rewards at Stripe',
    switchHint: 'Applies to rewards from now on. Referrers are found by their email.',
    switchedOn: 'Credit rewards turned on',
    switchedOff: 'Credit rewards turned off',
    columns: {
      amount: 'Amount',
      customer: 'Customer',
      commission: 'Commission',
      status: 'Status',
      created: 'Created',
    },
    statuses: creditStatuses,
    /** Before the amount in the currency of the commission. */
    convertedFrom: 'from',
    empty: 'No credit granted yet',
    emptyNote: 'Credit appears here a moment after a reward is approved.',
    retry: 'Retry failed credit',
    retried: (credits: number) => `${credits} queued`,
    export: 'Export credit',
  },
  remove: {
    action: 'Disconnect',
    title: (name: string) => `Disconnect ${name}?`,
    note: 'Its events are rejected from now on. Referrals, sales and commissions stay. This can’t be undone.',
    done: 'Billing system disconnected',
  },
  notFound: 'Billing system not found',
  notFoundNote: 'It may have been disconnected.',
}
