import type { TSchema } from 'typebox'
import { eventsByKind } from './event.ts'
import type { EventKind } from './webhook-endpoint.ts'

/** The event schemas by their names in the OpenAPI document. */
export const eventComponents = {
  PromoterApprovedEvent: eventsByKind['promoter.approved'],
  CommissionCreatedEvent: eventsByKind['commission.created'],
  PayoutPaidEvent: eventsByKind['payout.paid'],
  ConversionCreatedEvent: eventsByKind['conversion.created'],
}

const summaries: Record<EventKind, string> = {
  'promoter.approved': 'An affiliate was approved',
  'commission.created': 'A commission was created',
  'payout.paid': 'A payout was paid',
  'conversion.created': 'A conversion was created',
}

const when: Record<EventKind, string> = {
  'promoter.approved':
    'Sent when an affiliate is approved, including again after a rejection. `data` is the affiliate as GET returns it.',
  'commission.created':
    'Sent for every ledger entry: commissions earned, clawbacks, adjustments, credit and payouts. `data` is the entry as GET returns it.',
  'payout.paid':
    'Sent when the last payment of a payout is settled and at least one was paid. `data` is the payout with its items, as GET returns it.',
  'conversion.created':
    'Sent when a conversion is attributed to an affiliate. `data` is the referral as GET returns it.',
}

const headers = {
  'Tributary-Signature':
    '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `t`, a full stop and the raw body, keyed with the whole secret. Reject a `t` more than 300 seconds away',
  'Tributary-Event-Id': 'ID of the event; the same for every endpoint and attempt',
  'Tributary-Delivery-Id': 'ID of the delivery to this endpoint; the same for every attempt',
  'Tributary-Attempt': 'Number of the attempt, from 1',
  'webhook-id': 'ID of the event, for Standard Webhooks libraries',
  'webhook-timestamp': 'When this attempt was signed, in Unix seconds',
  'webhook-signature': 'Standard Webhooks signature: `v1,<base64>`, keyed with the decoded secret',
}

/** The webhooks section of the OpenAPI document: the requests that the service sends to an endpoint. */
export function webhookPaths(json: (schema: TSchema) => object) {
  const parameters = Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: /Id$|Attempt|timestamp/.test(name) ? 'integer' : 'string' },
  }))
  const entries = Object.entries(eventsByKind).map(([kind, schema]) => {
    const operation = {
      operationId: `on${kind.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
      tags: ['Events'],
      summary: summaries[kind as EventKind],
      description: when[kind as EventKind],
      security: [],
      parameters,
      requestBody: { required: true, content: json(schema) },
      responses: {
        200: { description: 'Received. Any other status is retried: 10 attempts over about three days.' },
        410: { description: 'Gone. The endpoint is disabled and gets no more events.' },
      },
    }
    return [kind, { post: operation }] as const
  })
  return Object.fromEntries(entries) as Record<EventKind, { post: (typeof entries)[number][1]['post'] }>
}
