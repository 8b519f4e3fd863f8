import type { ConnectorRow } from './connector.store.ts'
import type { Ignored } from './reading.ts'

/** The outcome of one report. `postponed` is looked at again later, without anything having happened. */
export type Outcome = Made &
  (
    | { status: 'applied' }
    | { status: 'ignored'; reason: Ignored }
    | { status: 'waiting'; waitsFor: string }
    | { status: 'postponed'; seconds: number }
  )

interface Made {
  referralId?: number | null
  saleExternalId?: string
  refundExternalId?: string
}

/** The event that a report comes from. */
export interface Source {
  connector: ConnectorRow
  providerId: string
  ageSeconds: number
  /** How often it was processed before. */
  attempts: number
  /** The key that the emails of the tracker's leads are hashed with. */
  leadKey: Buffer
}

export const placeOf = ({ connector }: Pick<Source, 'connector'>) => ({
  accountId: connector.account_id,
  connectorId: connector.id,
})

export const ignored = (code: Ignored['code'], params?: Ignored['params'], made: Made = {}): Outcome => ({
  ...made,
  status: 'ignored',
  reason: params ? { code, params } : { code },
})

/**
 * Whether an event is to wait for others, which may tell more than it does. Once in any case: after a backlog, they may be behind it.
 */
export function postponed({ attempts, ageSeconds }: Source, bySeconds: number): Outcome | undefined {
  const age = attempts === 0 ? 0 : ageSeconds
  return age < bySeconds ? { status: 'postponed', seconds: bySeconds - age } : undefined
}

const rank = { postponed: 3, waiting: 2, applied: 1, ignored: 0 }

/**
 * The outcome of an event with several reports: what is still to come counts most, then what was made. Of several that wait, the first
 * counts: a later one may wait for what the event itself reports.
 */
export function combined(outcomes: Outcome[]): Outcome {
  const most = outcomes.reduce((a, b) =>
    rank[b.status] > rank[a.status] || (b.status === a.status && b.status !== 'waiting') ? b : a,
  )
  const made: Made = {}
  for (const { referralId, saleExternalId, refundExternalId } of outcomes) {
    if (referralId != null) made.referralId = referralId
    if (saleExternalId !== undefined) made.saleExternalId = saleExternalId
    if (refundExternalId !== undefined) made.refundExternalId = refundExternalId
  }
  return { ...most, ...made }
}
