import type { EventKind } from '@tributary/contract'
import type { DeliveryStatus } from '@tributary/contract/dashboard'
import { counted } from '../shared/en.ts'

/** When an event of each type is sent. */
const events: Record<EventKind, string> = {
  'promoter.approved': 'An affiliate was approved',
  'conversion.created': 'A conversion was attributed to an affiliate',
  'commission.created': 'A commission, clawback or payout was added to the ledger',
  'payout.paid': 'A payout was paid, in full or in part',
}

const deliveryStatuses: Record<DeliveryStatus, string> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
  canceled: 'Canceled',
}

/** The stage at which an attempt failed. */
const stages: Record<string, string> = {
  destination: 'Webhooks to this address are not allowed',
  dns: 'Host not found',
  connect: "Couldn't connect",
  tls: 'TLS handshake failed',
  response: 'Timed out waiting for a response',
  body: 'The response was cut off',
  status: "The response wasn't 200",
}

/** The webhook pages, in English. Code is in `backticks`. */
export const texts = {
  title: 'Webhooks',
  note: 'Send real-time events to your app.',
  exportEndpoints: 'Export endpoints',
  exportDeliveries: 'Export deliveries',
  addEndpoint: 'Add endpoint',
  deliveries: 'Deliveries',
  events,
  deliveryStatuses,
  stages,
  onlySuccess: 'Only a 200 response counts as delivered. Anything else is retried.',
  http: (status: number | null) => `HTTP ${status}`,
  attempt: (number: number) => `Attempt ${number}`,
  copyUrl: 'Copy URL',
  endpoints: {
    label: 'Webhook endpoints',
    failing: 'Failing',
    noneFailing: 'No failing endpoints',
    noneFailingNote: 'Every endpoint accepted its latest delivery. Remove the filter to see all of them.',
    columns: {
      endpoint: 'Endpoint',
      events: 'Events',
      status: 'Status',
      actions: 'Actions',
    },
    empty: 'No endpoints yet',
    emptyNote:
      'An endpoint is a URL in your app. It receives an event when an affiliate is approved, a conversion or commission is created, or a payout is paid.',
    notAllowedNote: 'An account owner or admin can add one.',
    added: (id: number) => `Endpoint ${id}, added`,
    failingSince: 'Failing since',
    lastDelivery: (status: string) => `Last delivery ${status.toLowerCase()}`,
    noDeliveries: 'No deliveries yet',
    enable: 'Enable endpoint',
    enabled: 'Endpoint enabled. You can replay the events it missed.',
    more: (id: number) => `More actions for endpoint ${id}`,
    replay: 'Replay events…',
    disable: 'Disable endpoint…',
    disableTitle: 'Disable endpoint?',
    disableConfirm: 'Disable endpoint',
    disableNote: (url: string) =>
      `\`${url}\` stops receiving events, and its pending deliveries are canceled. You can enable it again later and replay the events it missed.`,
    disabled: 'Endpoint disabled',
    delete: 'Delete endpoint…',
    deleteTitle: 'Delete endpoint?',
    deleteConfirm: 'Delete endpoint',
    deleteNote: (url: string) =>
      `\`${url}\` stops receiving events, its pending deliveries are canceled, and its signing secret is deleted. This can't be undone. Its delivery log is kept for 90 days.`,
    deleted: 'Endpoint deleted',
  },
  add: {
    secretTitle: 'Signing secret',
    secretName: 'secret',
    verify: 'Every delivery is signed with this secret. Verify the signature before you trust a delivery:',
    example: 'example',
    exampleCode: `import { verifyWebhook } from '@tributary/sdk'

// Pass the raw body, before any parsing.
const event = await verifyWebhook(await request.text(), request.headers, secret)`,
    otherLanguages:
      'In other languages: compute the HMAC-SHA256 of `t.body` with the full secret and compare it with `v1` in the `Tributary-Signature` header. Standard Webhooks libraries work too.',
    docs: 'Read the docs',
    url: 'URL',
    urlHint: 'Events are sent here by POST. Your app must respond with 200.',
    urlExample: 'https://example.com/webhooks/tributary',
    urlProblem: (problem: string) => `The URL ${problem}`,
    events: 'Events',
    eventsHint: 'The events to send to this endpoint.',
    noEvents: 'Select at least one event',
  },
  test: {
    send: 'Send test event',
    chooseType: (id: number) => `Choose the test event for endpoint ${id}`,
    types: 'Event type',
    title: 'Test event',
    viewDelivery: 'View delivery',
    sending: (kind: string, url: string) => `Sending ${kind} to ${url}…`,
    canceled: 'Canceled before it was sent: the endpoint is disabled or deleted.',
    failed: (attempt: number) => `Attempt ${attempt} failed`,
    outcome: (kind: string, url: string, outcome: string, duration: string) =>
      `${kind} to ${url}: ${outcome} in ${duration}`,
    retry: (when: string) => `Next attempt ${when}.`,
    response: 'Response',
    responseName: 'response',
  },
  replay: {
    title: 'Replay events',
    note: (url: string) =>
      `Sends every event since this time to \`${url}\` again, including events it has already received. Use the event \`id\` to ignore duplicates.`,
    since: 'Since',
    sinceHint: 'In your time zone',
    submit: 'Replay events',
    none: 'No events to replay since then',
    done: (number: number) => `${counted(number, 'event')} queued`,
  },
  log: {
    columns: {
      delivery: 'Delivery',
      event: 'Event',
      endpoint: 'Endpoint',
      status: 'Status',
      lastResponse: 'Last response',
      created: 'Created',
    },
    searchHint: 'Delivery or event ID',
    eventId: (id: number) => `Event ${id}`,
    endpointOption: (id: number, url: string) => `${id}: ${url}`,
    deletedEndpoint: (id: number) => `${id}: deleted`,
    sending: 'Sending',
    attempts: (number: number) => counted(number, 'attempt'),
    nextAttempt: (attempts: number, when: string) => `${counted(attempts, 'attempt')}, next ${when}`,
    noMatch: 'No matching deliveries',
    empty: 'No deliveries yet',
    emptyNote: 'Add an endpoint and send a test event to see its delivery here.',
  },
  delivery: {
    title: 'Delivery',
    numbered: (id: number) => `Delivery ${id}`,
    all: 'All deliveries',
    redeliver: 'Redeliver',
    redelivered: 'Delivery queued',
    details: 'Details',
    requestBody: 'Request body',
    bodyName: 'request body',
    bodyFormat: 'Body format',
    bodyFormats: { sent: 'Raw', formatted: 'Formatted' },
    attempts: 'Attempts',
    sending: 'Sending…',
    canceled: 'Canceled before it was sent.',
    url: 'URL',
    endpoint: 'Endpoint',
    event: 'Event',
    allOfEvent: (id: number) => `${id} (all deliveries)`,
    created: 'Created',
    nextAttempt: 'Next attempt',
    response: 'Response',
    responseName: (attempt: number) => `response to attempt ${attempt}`,
    noResponse: 'No response.',
    emptyResponse: 'The response body is empty.',
    requestHeaders: 'Request headers',
    headersOf: (attempt: number) => `Request headers of attempt ${attempt}`,
    signaturesHidden:
      'Signatures are hidden. Users who can change settings see them while the endpoint exists.',
  },
}
