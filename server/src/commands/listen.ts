import { setTimeout as sleep } from 'node:timers/promises'
import { type EventKind, eventKinds, type WebhookEndpointCreated } from '@tributary/contract'
import { type Command, InvalidArgumentError } from 'commander'
import { baseUrl } from '../config.ts'
import { isUnavailable } from '../db/failures.ts'
import { invalid, invalidState } from '../kit/domain-error.ts'
import { accountByName } from '../programme/accounts/account-by-name.ts'
import { type Context, withDatabase } from '../runtime/context.ts'
import { destinationPolicy, urlProblem } from '../webhooks/delivery/destination.ts'
import { deleteExpiredListeners, LEASE_SECONDS, startListening } from '../webhooks/endpoints/listen.ts'
import {
  type ForwardedAttempt,
  isDeliveryRunning,
  recentAttempts,
  renewListener,
} from '../webhooks/endpoints/listener.store.ts'
import { deleteWebhookEndpoint } from '../webhooks/endpoints/webhook-endpoint.store.ts'
import { recordCommand } from './audited-command.ts'
import { printLine } from './options.ts'

const POLL_MS = 250
const RENEW_EVERY_MS = (LEASE_SECONDS * 1000) / 6

const HOW_TO_ALLOW =
  'With NODE_ENV=production, webhooks are not sent to private addresses. Start the service with' +
  ' TRIBUTARY_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8,::1/128 to allow this machine.'

interface ListenOptions {
  account: string
  forward: string
  events: EventKind[]
}

function someKinds(text: string): EventKind[] {
  const kinds = text.split(',').map(kind => kind.trim() as EventKind)
  if (!kinds.every(kind => eventKinds.includes(kind)))
    throw new InvalidArgumentError(`Must be one or more of ${eventKinds.join(', ')}.`)
  return kinds
}

const warn = (text: string) => process.stderr.write(`${text}\n`)
const clockTime = (at: string) => new Date(at).toTimeString().slice(0, 8)

function describe(attempt: ForwardedAttempt): string {
  const { event_kind, event_id, number, response_status, error, duration_ms, next_attempt_at } = attempt
  return [
    clockTime(attempt.started_at),
    event_kind,
    event_id,
    response_status ?? error,
    `${duration_ms} ms`,
    number > 1 && `attempt ${number}`,
    next_attempt_at !== null && `retry at ${clockTime(next_attempt_at)}`,
  ]
    .filter(Boolean)
    .join('  ')
}

/** Prints each attempt once, soon after it was made. */
class Log {
  #seen = new Set<number>()
  #hasWarned = false

  print(attempts: ForwardedAttempt[]): void {
    for (const attempt of attempts) {
      if (this.#seen.has(attempt.id)) continue
      printLine(describe(attempt))
      if (attempt.error_stage !== 'destination' || this.#hasWarned) continue
      this.#hasWarned = true
      warn(HOW_TO_ALLOW)
    }
    this.#seen = new Set(attempts.map(({ id }) => id))
  }
}

/**
 * Follows the deliveries to the endpoint until the signal, renewing its lease. Ends early if the endpoint is disabled or deleted. Waits
 * while the database is unavailable.
 */
async function follow(
  { database }: Context,
  accountId: number,
  endpointId: number,
  signal: AbortSignal,
): Promise<void> {
  const log = new Log()
  let renewedAt = Date.now()
  while (!signal.aborted) {
    try {
      if (Date.now() - renewedAt > RENEW_EVERY_MS) {
        if (!(await renewListener(database, accountId, endpointId, LEASE_SECONDS)))
          throw invalidState('The endpoint was disabled or deleted. No more events will be forwarded.')
        renewedAt = Date.now()
      }
      log.print(await recentAttempts(database, accountId, endpointId))
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined)
  }
  log.print(await recentAttempts(database, accountId, endpointId))
}

async function subscribe(
  context: Context,
  accountId: number,
  { forward: url, events }: ListenOptions,
): Promise<WebhookEndpointCreated> {
  const { database, settings, secrets } = context
  const problem = urlProblem(url, destinationPolicy(settings))
  if (problem && settings.NODE_ENV === 'production') warn(HOW_TO_ALLOW)
  if (problem) throw invalid('--forward', problem)
  return database.transaction(async tx => {
    const services = { db: tx, secrets, settings, baseUrl: baseUrl(settings) }
    const endpoint = await startListening(services, accountId, { url, events })
    await recordCommand(tx, accountId, {
      action: 'webhook_endpoint.create',
      subjectId: endpoint.id,
      details: { url, events },
    })
    return endpoint
  })
}

/** Does nothing if the endpoint has already been deleted. */
async function unsubscribe({ database }: Context, accountId: number, id: number): Promise<void> {
  await database.transaction(async tx => {
    const endpoint = await deleteWebhookEndpoint(tx, accountId, id)
    const details = { url: endpoint?.url }
    if (endpoint)
      await recordCommand(tx, accountId, { action: 'webhook_endpoint.delete', subjectId: id, details })
  })
}

const listen = (options: ListenOptions) =>
  withDatabase(
    async (context, signals) => {
      const ended = new AbortController()
      void signals.requested.then(() => ended.abort())
      const { database } = context
      const account = await accountByName(database, options.account)
      await deleteExpiredListeners(database)
      const endpoint = await subscribe(context, account.id, options)
      printLine(`Forwarding events of ${account.slug} to ${endpoint.url}. Press Ctrl-C to stop.`)
      printLine(`Signing secret: ${endpoint.secret}`)
      if (!(await isDeliveryRunning(database)))
        warn(
          'Neither `tributary serve` nor `tributary worker` is running on this database. Start one to deliver events.',
        )
      try {
        await follow(context, account.id, endpoint.id, ended.signal)
      } finally {
        await unsubscribe(context, account.id, endpoint.id)
      }
      printLine('Endpoint deleted.')
    },
    { isLong: true },
  )

export function addListenCommand(program: Command): void {
  program
    .command('listen')
    .description("Forward an account's events to a local URL during development")
    .requiredOption('--account <slug>', 'Account slug or ID')
    .requiredOption('--forward <url>', 'URL to forward to, reachable from the service')
    .option('--events <kinds>', 'Only these event types, comma-separated', someKinds, [...eventKinds])
    .addHelpText(
      'after',
      '\nExample:\n  $ tributary listen --account acme --forward http://localhost:4000/webhooks',
    )
    .action(listen)
}
