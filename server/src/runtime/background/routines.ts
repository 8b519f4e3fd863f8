import type { Logger } from 'pino'
import type { Settings } from '../../config.ts'
import { syncCodes } from '../../connectors/codes/sync-codes.ts'
import { emptyOldEvents } from '../../connectors/connector-event.store.ts'
import { grantCredits } from '../../connectors/credits/grant-credits.ts'
import type { InboxMetrics } from '../../connectors/inbox-metrics.ts'
import { emailsKnownWith } from '../../connectors/known-emails.ts'
import { processEvents } from '../../connectors/process-events.ts'
import { syncStaleConnectors } from '../../connectors/sync-connector.ts'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { writeDigests } from '../../digests/write-digests.ts'
import { lookBack } from '../../earning/conversions/look-back.ts'
import { eraseUnkeptEmails } from '../../earning/customers/keep-emails.ts'
import { earnSalesAwaitingRate } from '../../earning/sales/earn-sales-awaiting-rate.ts'
import { deleteOldLeads } from '../../earning/tracking/lead.store.ts'
import { rollUpOpenDays } from '../../insight/open-day.ts'
import { rollUp } from '../../insight/roll-up.ts'
import { findSignals } from '../../insight/signals/find-signals.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { keepWithoutServer, sendMails } from '../../mail/send-mails.ts'
import { fetchRates } from '../../money/fx/fetch-rates.ts'
import { releaseHolds } from '../../money/ledger/holds.ts'
import type { OpenRails } from '../../money/payouts/open-rails.ts'
import { processSubmissions } from '../../money/payouts/process-submissions.ts'
import { settleAllPayouts } from '../../money/payouts/settle-payout.ts'
import { writeNotices } from '../../portal/notices/write-notices.ts'
import { deleteExpiredListeners } from '../../webhooks/endpoints/listen.ts'
import type { RoutineMetrics } from './routine-metrics.ts'
import { sweeps } from './sweeps.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** As many accounts' SMTP servers may hang before emails of others wait for one that gives up. */
const LANES_OF_MAIL_SERVERS = 32

export interface Routine {
  name: string
  everyMs: number
  /** Maximum concurrent runs: 1, unless it waits for an external service. */
  lanes?: number
  /** Ends what a setting says is over, or depends on it: only `serve` decides that. A worker runs beside it, and may lack the setting. */
  byServe?: true
  /** Ends early, between two steps, once the signal is aborted: a long run must not keep the service from stopping. */
  run: (signal: AbortSignal) => Promise<unknown>
}

/** The periodic routines. Each is safe to run concurrently, so every process may run it. */
export function routinesOf(
  db: Db,
  settings: Settings,
  secrets: SecretBox,
  rails: OpenRails,
  baseUrl: string,
  log: Logger,
  inbox?: InboxMetrics,
): Routine[] {
  const notices = { baseUrl, log, setAside: new Set<number>() }
  const digests = { baseUrl, secrets, settings, log, setAside: new Set<string>() }
  const busyMailServers = new Set<number>()
  const leadKey = secrets.key('lead email')
  const { TRIBUTARY_FX_URL: ratesUrl, TRIBUTARY_CLICK_RETENTION_DAYS: retentionDays } = settings
  const { TRIBUTARY_BILLING_EVENT_RETENTION_DAYS: eventDays } = settings
  const { TRIBUTARY_DISPOSABLE_EMAIL_DOMAINS: disposableDomains } = settings
  return [
    { name: 'release holds', everyMs: SECOND_MS, run: () => releaseHolds(db) },
    {
      name: 'compute sales awaiting a rate',
      everyMs: 2 * SECOND_MS,
      run: () => earnSalesAwaitingRate(db),
    },
    {
      name: 'look back at conversions',
      everyMs: SECOND_MS,
      run: () => lookBack(db, emailsKnownWith(leadKey)),
    },
    { name: 'render emails', everyMs: SECOND_MS, run: signal => writeNotices(db, notices, signal) },
    { name: 'write digests', everyMs: 5 * SECOND_MS, run: signal => writeDigests(db, digests, { signal }) },
    // Every second: a user may be waiting for a sign-in link.
    {
      name: 'send emails',
      everyMs: SECOND_MS,
      lanes: settings.TRIBUTARY_SMTP_URL === undefined ? LANES_OF_MAIL_SERVERS : 4,
      run: signal => sendMails(db, secrets, settings, { busy: busyMailServers, signal }),
    },
    { name: 'keep emails', everyMs: SECOND_MS, byServe: true, run: () => keepWithoutServer(db, settings) },
    { name: 'end expired listeners', everyMs: MINUTE_MS, run: () => deleteExpiredListeners(db) },
    {
      name: 'sync billing connectors',
      everyMs: HOUR_MS,
      run: signal => syncStaleConnectors({ db, secrets, log }, signal),
    },
    { name: 'sync coupon codes', everyMs: 10 * SECOND_MS, run: () => syncCodes({ db, secrets }) },
    { name: 'grant credit rewards', everyMs: 10 * SECOND_MS, run: () => grantCredits({ db, secrets }) },
    {
      name: 'process billing events',
      everyMs: SECOND_MS,
      run: signal =>
        processEvents(db, log, leadKey, { signal, ...(inbox && { onProcessed: inbox.processed }) }),
    },
    {
      name: 'empty old billing events',
      everyMs: 10 * MINUTE_MS,
      byServe: true,
      run: signal => emptyOldEvents(db, eventDays, signal),
    },
    { name: 'settle payouts', everyMs: SECOND_MS, run: () => settleAllPayouts(db) },
    {
      name: 'poll payout rails',
      everyMs: SECOND_MS,
      lanes: 8,
      run: signal => processSubmissions(db, rails, signal),
    },
    {
      name: 'roll up insight',
      everyMs: 2 * SECOND_MS,
      // Days are counted anew only while all their clicks are kept: with a longer retention than that of `serve`, they would be too few.
      byServe: true,
      run: () => rollUp(db, retentionDays),
    },
    { name: 'roll up open days', everyMs: MINUTE_MS, run: () => rollUpOpenDays(db) },
    { name: 'find fraud signals', everyMs: 10 * SECOND_MS, run: () => findSignals(db, disposableDomains) },
    {
      name: 'create click partitions',
      everyMs: HOUR_MS,
      run: () => db.many(sql`SELECT prepare_click_months()`),
    },
    {
      name: 'drop old clicks',
      everyMs: HOUR_MS,
      byServe: true,
      run: () => db.many(sql`SELECT drop_click_months(${retentionDays})`),
    },
    {
      name: 'delete old leads',
      everyMs: 10 * MINUTE_MS,
      byServe: true,
      run: signal => deleteOldLeads(db, retentionDays, signal),
    },
    { name: 'erase customer emails', everyMs: MINUTE_MS, run: signal => eraseUnkeptEmails(db, signal) },
    ...(ratesUrl
      ? [
          {
            name: 'fetch rates',
            everyMs: 24 * HOUR_MS,
            run: (signal: AbortSignal) => fetchRates(db, ratesUrl, signal),
          },
        ]
      : []),
    ...Object.entries(sweeps).map(([name, sweep]) => ({
      name,
      everyMs: 10 * MINUTE_MS,
      run: (signal: AbortSignal) => sweep(db, signal),
    })),
  ]
}

/** Delay between the first runs of two routines: all at once would take every connection from the first requests. */
const FIRST_RUNS_APART_MS = 50

/** Runs each routine soon after start and then at its interval, in at most `lanes` concurrent runs. A failure is logged and retried at the next interval. */
export function startRoutines(
  routines: Routine[],
  log: Logger,
  metrics: RoutineMetrics,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const running = new Map<Routine, Set<Promise<void>>>(routines.map(routine => [routine, new Set()]))
  const start = (routine: Routine) => {
    const { name, run, lanes = 1 } = routine
    const under = running.get(routine) as Set<Promise<void>>
    if (under.size >= lanes) return
    const work: Promise<void> = run(stopping.signal)
      .then(() => metrics.done(name))
      .catch(error => {
        // An interrupted run goes on after the restart.
        if (stopping.signal.aborted && error === stopping.signal.reason) return
        metrics.failed(name)
        log.warn({ err: error, routine: name }, 'background routine failed; it will be retried')
      })
      .finally(() => under.delete(work))
    under.add(work)
  }
  const timers = routines.flatMap((routine, place) => [
    setTimeout(() => start(routine), (place + 1) * FIRST_RUNS_APART_MS),
    setInterval(() => start(routine), routine.everyMs),
  ])
  return {
    async stop() {
      for (const timer of timers) clearTimeout(timer)
      stopping.abort()
      await Promise.all([...running.values()].flatMap(under => [...under]))
    },
  }
}
