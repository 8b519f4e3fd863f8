import { type Static, type TSchema, Type } from 'typebox'
import { Affiliate } from './affiliate.ts'
import { Commission } from './commission.ts'
import { closed, described, Id, Timestamp } from './fields.ts'
import { Payout } from './payout.ts'
import { Referral } from './referral.ts'
import type { EventKind } from './webhook-endpoint.ts'

const event = <K extends EventKind, D extends TSchema>(kind: K, data: D, description: string) =>
  closed(
    {
      id: described(Id, 'ID of the event; the same for every endpoint and attempt'),
      type: Type.Literal(kind),
      created_at: described(Timestamp, 'When the event occurred'),
      data,
    },
    { description },
  )

/** The payload of each kind. Two kinds are named differently from the objects they carry; this is the mapping. */
export const eventsByKind = {
  'promoter.approved': event('promoter.approved', Affiliate, 'An affiliate was approved.'),
  'commission.created': event('commission.created', Commission, 'A ledger entry was created.'),
  'payout.paid': event('payout.paid', Payout, 'A payout was paid in full or in part.'),
  'conversion.created': event('conversion.created', Referral, 'A conversion was attributed to an affiliate.'),
} as const satisfies Record<EventKind, TSchema>

/** The payload of a webhook delivery, discriminated by `type`. */
export const Event = Type.Union([
  eventsByKind['promoter.approved'],
  eventsByKind['commission.created'],
  eventsByKind['payout.paid'],
  eventsByKind['conversion.created'],
])
export type Event = Static<typeof Event>
