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
      id: described(Id, 'The event; the same on every attempt and at every endpoint'),
      type: Type.Literal(kind),
      created_at: described(Timestamp, 'When it happened'),
      data,
    },
    { description },
  )

/** What each kind carries. The names of two kinds differ from those of their nouns, and this is where they meet. */
export const eventsByKind = {
  'promoter.approved': event('promoter.approved', Affiliate, 'An affiliate was approved.'),
  'commission.created': event('commission.created', Commission, 'An entry was added to the ledger.'),
  'payout.paid': event('payout.paid', Payout, 'A payout was paid, in full or in part.'),
  'conversion.created': event('conversion.created', Referral, 'A conversion was attributed.'),
} as const satisfies Record<EventKind, TSchema>

/** The body of a webhook delivery; `type` tells what `data` is. */
export const Event = Type.Union([
  eventsByKind['promoter.approved'],
  eventsByKind['commission.created'],
  eventsByKind['payout.paid'],
  eventsByKind['conversion.created'],
])
export type Event = Static<typeof Event>
