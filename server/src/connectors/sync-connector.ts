import type { Logger } from 'pino'
import type { Db } from '../db/database.ts'
import { DomainError, invalidState } from '../kit/domain-error.ts'
import type { SecretBox } from '../kit/secret-box.ts'
import { findBilledSale, findKnownRefund, findLinks, type Place } from './billing-facts.store.ts'
import {
  type ConnectorRow,
  claimUnsynced,
  findApiKey,
  findConnector,
  recordSync,
  recordSyncProblem,
  releaseSync,
} from './connector.store.ts'
import { findEventState, insertEvents } from './connector-event.store.ts'
import { withName } from './connector-name.ts'
import { placeOf } from './outcome.ts'
import { processEvents } from './process-events.ts'
import type { VerifiedEvent } from './provider.ts'
import { providerOf } from './providers.ts'
import type { BillingReport } from './reading.ts'
import { type Reconciliation, reconcile } from './reconcile.ts'
import { isBare } from './replace-bare-sale.ts'

/** Whether the inbox knows already what a report says. A customer's attribution is repeated: it is decided once. */
async function isKnown(db: Db, connector: ConnectorRow, report: BillingReport): Promise<boolean> {
  const place = placeOf({ connector })
  if (report.kind === 'sale') {
    const { externalId, payments = [] } = report
    if (!(await findBilledSale(db, place, externalId))) return false
    // Which payments a sale has may have been missed alone. One that counts as a separate sale counts twice.
    const links = await findLinks(db, place, 'payment', payments)
    return payments.every(payment => {
      const sale = links.get(payment)
      return sale === externalId || (sale !== undefined && !isBare({ connector }, [payment, sale]))
    })
  }
  if (report.kind === 'refund') {
    const known = await findKnownRefund(db, place, report.externalId)
    return known !== undefined && known.sale_external_id !== null
  }
  if (report.kind === 'refund_reversed')
    return (await findKnownRefund(db, place, report.refundExternalId))?.is_reversed === true
  return true
}

/** An email alone names none: every Checkout has one. */
const namesAffiliate = (report: BillingReport) =>
  report.kind === 'customer' &&
  [report.clickId, report.maybeClickId, report.tokens, report.couponCodes].some(each => each !== undefined)

/** A Checkout that reports no money is only about attribution, so it is known if its event is. */
async function isMissed(
  db: Db,
  connector: ConnectorRow,
  event: VerifiedEvent,
  reports: BillingReport[],
): Promise<boolean> {
  const money = reports.filter(({ kind }) => kind !== 'customer')
  if (money.length === 0)
    return reports.some(namesAffiliate) && !(await findEventState(db, placeOf({ connector }), event.id))
  for (const report of money) if (!(await isKnown(db, connector, report))) return true
  return false
}

/** More than a person waits for; the service processes what is left. */
const EVENTS_PER_SYNC = 100_000
const EVENTS_PER_INSERT = 100

/** Puts events into the inbox, some at a time: a crash loses none, as the next sync starts at the same time. */
class Missed {
  /** How many were new. */
  count = 0
  readonly #insert: (events: VerifiedEvent[]) => Promise<boolean[]>
  #waiting: VerifiedEvent[] = []

  constructor(db: Db, place: Place) {
    this.#insert = events =>
      insertEvents(
        db,
        events.map(event => ({ ...place, event, body: JSON.stringify(event.body) })),
      )
  }

  async add(event: VerifiedEvent): Promise<void> {
    this.#waiting.push(event)
    if (this.#waiting.length === EVENTS_PER_INSERT) await this.flush()
  }

  async flush(): Promise<void> {
    const events = this.#waiting
    this.#waiting = []
    if (events.length > 0) this.count += (await this.#insert(events)).filter(isNew => isNew).length
  }
}

interface Services {
  db: Db
  secrets: SecretBox
  log: Logger
}

/**
 * Fetches through the provider's API what happened since a time, puts what the webhooks missed into the inbox, processes it, and compares
 * the provider's totals with ours. Repeating it changes nothing. What is wrong with the key is kept, for the connector's page. Throws once the
 * signal is aborted.
 */
export async function syncConnector(
  services: Services,
  connector: ConnectorRow,
  since: string,
  signal?: AbortSignal,
): Promise<Reconciliation> {
  const keep = (problem: string | null) =>
    recordSyncProblem(services.db, connector.account_id, connector.id, problem)
  try {
    const result = await fetchMissed(services, connector, since, signal)
    await keep(result.problem)
    return result
  } catch (error) {
    if (error instanceof DomainError) await keep(error.message)
    throw error
  }
}

async function fetchMissed(
  { db, secrets, log }: Services,
  connector: ConnectorRow,
  since: string,
  signal: AbortSignal | undefined,
): Promise<Reconciliation> {
  const place = placeOf({ connector })
  const provider = await providerOf(connector.provider)
  const sealed = await findApiKey(db, place.accountId, place.connectorId)
  if (!provider?.listSince || !sealed)
    throw invalidState('The connector has no API key. Add one to fetch what its events missed.')
  const api = { key: secrets.open('connector key', place.accountId, sealed), url: connector.api_url }
  const { base, takes_tests: takesTests, mapping } = connector
  const reportsOf = (event: VerifiedEvent) => {
    const reading = withName(connector, provider.read(event, { base, takesTests, mapping }))
    return 'reports' in reading ? reading.reports : []
  }
  const process = async () => {
    await processEvents(db, log, secrets.key('lead email'), { most: EVENTS_PER_SYNC, only: place, signal })
    signal?.throwIfAborted()
  }
  const missed = new Missed(db, place)
  let problem: string | null = null
  try {
    for await (const event of provider.eventsSince?.(api, since, signal) ?? [])
      if (reportsOf(event).length > 0) await missed.add(event)
  } catch (error) {
    // The key may not read events; most of what was missed is in the lists.
    if (!(error instanceof DomainError && error.code === 'invalid_state')) throw error
    problem = error.message
  }
  // Before the lists are compared with what is known.
  await missed.flush()
  await process()
  const listed: BillingReport[] = []
  for await (const event of provider.listSince(api, since, signal)) {
    const reports = reportsOf(event)
    listed.push(...reports)
    if (reports.length > 0 && (await isMissed(db, connector, event, reports)))
      await missed.add((await provider.complete?.(api, event)) ?? event)
  }
  await missed.flush()
  await process()
  return { ...(await reconcile(db, place, since, listed, missed.count)), problem }
}

/** How far back the nightly sync looks before the previous one: webhooks are retried for three days. */
const OVERLAP_MS = 3 * 86_400_000

/** Syncs each connector that has an API key once a day. One that the signal interrupts is synced again by the next run, of any process. */
export async function syncStaleConnectors(services: Services, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const stale = await claimUnsynced(services.db)
    if (!stale) return
    const connector = await findConnector(services.db, stale.account_id, stale.id)
    const since = new Date(Date.parse(stale.since) - OVERLAP_MS).toISOString()
    if (!connector) continue
    const warn = (err: unknown) =>
      services.log.warn({ err, connector_id: stale.id }, 'syncing a billing connector failed')
    const failed = (err: unknown) =>
      signal && err === signal.reason ? releaseSync(services.db, stale) : warn(err)
    await syncConnector(services, connector, since, signal).then(
      // Without the events it is not complete: the next one starts from the same time.
      ({ problem }) => (problem === null ? recordSync(services.db, stale) : warn(invalidState(problem))),
      failed,
    )
  }
}
