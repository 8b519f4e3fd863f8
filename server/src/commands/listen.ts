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
  'With NODE_ENV=production webhooks go to no private address. Start the service with' +
  ' TRIBUTARY_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8,::1/128 to let them go to this machine.'

interface ListenOptions {
  account: string
  forward: string
  events: EventKind[]
}

function someKinds(text: string): EventKind[] {
  const kinds = text.split(',').map(kind => kind.trim() as EventKind)
  if (!kinds.every(kind => eventKinds.includes(kind)))
    throw new InvalidArgumentError(`They are ${eventKinds.join(', ')}.`)
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
    next_attempt_at !== null && `again at ${clockTime(next_attempt_at)}`,
  ]
    .filter(Boolean)
    .join('  ')
}

/** Prints each attempt once, soon after it was made. */
class Log {
  #seen = new Set<number>()
  #toldHowToAllow = false

  print(attempts: ForwardedAttempt[]): void {
    for (const attempt of attempts) {
      if (this.#seen.has(attempt.id)) continue
      printLine(describe(attempt))
      if (attempt.error_stage !== 'destination' || this.#toldHowToAllow) continue
      this.#toldHowToAllow = true
      warn(HOW_TO_ALLOW)
    }
    this.#seen = new Set(attempts.map(({ id }) => id))
  }
}

/**
 * Follows the deliveries to the endpoint until the signal, and keeps it alive; ends early where somebody else has switched it off. A
 * database that is away is waited for.
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
          throw invalidState('The endpoint was switched off or deleted, so nothing more will come.')
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

/** Where somebody else was quicker, there is nothing left to do. */
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
      void signals.asked.then(() => ended.abort())
      const { database } = context
      const account = await accountByName(database, options.account)
      await deleteExpiredListeners(database)
      const endpoint = await subscribe(context, account.id, options)
      printLine(`The events of ${account.slug} go to ${endpoint.url} until you press Ctrl-C.`)
      printLine(`They are signed with ${endpoint.secret}`)
      if (!(await isDeliveryRunning(database)))
        warn(
          'Neither `tributary serve` nor `worker` seems to run on this database: events arrive once one does.',
        )
      try {
        await follow(context, account.id, endpoint.id, ended.signal)
      } finally {
        await unsubscribe(context, account.id, endpoint.id)
      }
      printLine('The endpoint is gone.')
    },
    { isLong: true },
  )

export function addListenCommand(program: Command): void {
  program
    .command('listen')
    .description('forward the events of an account to a local address while you develop, and show each')
    .requiredOption('--account <slug>', 'the account, by its slug or its id')
    .requiredOption('--forward <url>', 'where to, as the service sees it')
    .option('--events <kinds>', 'only these, separated by commas', someKinds, [...eventKinds])
    .addHelpText(
      'after',
      '\nExample:\n  $ tributary listen --account acme --forward http://localhost:4000/webhooks',
    )
    .action(listen)
}
