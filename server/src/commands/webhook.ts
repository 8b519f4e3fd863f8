import { type EventKind, eventKinds } from '@tributary/contract'
import { type Command, Option } from 'commander'
import { invalid } from '../kit/domain-error.ts'
import { accountSlug } from '../programme/accounts/account-slug.ts'
import { withDatabase } from '../runtime/context.ts'
import { listDeliveries } from '../webhooks/endpoints/delivery-log.store.ts'
import { redeliver, replayEvents, sendTestEvent } from '../webhooks/endpoints/redeliver.ts'
import { setEndpointStatus } from '../webhooks/endpoints/set-endpoint-status.ts'
import { auditedCommand } from './audited-command.ts'
import { counted, printJson, printLine, wholeNumber } from './options.ts'

interface AccountOptions {
  account: number
  json?: boolean
}

type AddCommand = (name: string, description: string, example: string) => Command

export function addWebhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('Inspect and resend webhook deliveries')
    .addHelpText('after', '\n\nExample:\n  $ tributary webhook deliveries --account 1')
  const add: AddCommand = (name, description, example) =>
    webhook
      .command(name)
      .description(description)
      .requiredOption('--account <id>', 'Account ID', wholeNumber)
      .option('--json', 'Print the result as JSON')
      .addHelpText('after', `\nExample:\n  $ tributary webhook ${name} --account 1 ${example}`)

  add('deliveries', 'List deliveries and their attempts, newest first', '--endpoint 1 --status failed --json')
    .option('--endpoint <id>', 'Only deliveries to this endpoint', wholeNumber)
    .addOption(
      new Option('--status <status>', 'Only deliveries with this status').choices([
        'pending',
        'delivered',
        'failed',
        'canceled',
      ]),
    )
    .option('--limit <number>', 'Maximum number of deliveries', wholeNumber, 25)
    .action(showDeliveries)

  add('redeliver', 'Resend one event', '--id 42')
    .requiredOption('--id <id>', 'Delivery ID', wholeNumber)
    .action((options: AccountOptions & { id: number }) =>
      withDatabase(async ({ database }) => {
        const result = await auditedCommand(
          database,
          options.account,
          tx => redeliver(tx, options.account, options.id),
          made => ({ action: 'delivery.redeliver', subjectId: options.id, details: made }),
        )
        if (options.json) printJson(result)
        else printLine(`Delivery ${result.delivery_id} queued.`)
      }),
    )

  add(
    'replay',
    'Resend all events to an endpoint since a time or after an event',
    '--endpoint 1 --since 2026-01-31T00:00:00Z',
  )
    .requiredOption('--endpoint <id>', 'Endpoint ID', wholeNumber)
    .addOption(new Option('--since <time>', 'Events since this time').conflicts('afterEvent'))
    .option('--after-event <id>', 'Events after this one', wholeNumber)
    .action(replay)

  addSwitch(add, 'enable', 'Enable an endpoint; missed events can be replayed')
  addSwitch(add, 'disable', 'Disable an endpoint and cancel its pending deliveries')

  add('test', 'Send a sample event, marked with the header Tributary-Test', '--endpoint 1')
    .requiredOption('--endpoint <id>', 'Endpoint ID', wholeNumber)
    .addOption(
      new Option('--event <kind>', "Event type (default: the first of the endpoint's subscriptions)").choices(
        eventKinds,
      ),
    )
    .action((options: AccountOptions & { endpoint: number; event?: EventKind }) =>
      withDatabase(async ({ database }) => {
        const { account, endpoint, event: kind } = options
        const result = await auditedCommand(
          database,
          account,
          tx => sendTestEvent(tx, account, endpoint, kind),
          made => ({ action: 'webhook_endpoint.test', subjectId: endpoint, details: { kind, ...made } }),
        )
        if (options.json) printJson(result)
        else printLine(`Delivery ${result.delivery_id} queued.`)
      }),
    )
}

function addSwitch(add: AddCommand, name: 'enable' | 'disable', description: string): void {
  add(name, description, '--endpoint 1')
    .requiredOption('--endpoint <id>', 'Endpoint ID', wholeNumber)
    .action((options: AccountOptions & { endpoint: number }) =>
      withDatabase(async ({ database }) => {
        const status = name === 'enable' ? 'active' : 'disabled'
        const endpoint = await auditedCommand(
          database,
          options.account,
          tx => setEndpointStatus(tx, options.account, options.endpoint, status),
          ({ id, url }) => ({
            action: 'webhook_endpoint.switch',
            subjectId: id,
            details: { status, url },
          }),
        )
        if (options.json) printJson(endpoint)
        else printLine(`Endpoint ${endpoint.id} is ${endpoint.status}.`)
      }),
    )
}

const showDeliveries = (options: AccountOptions & { endpoint?: number; status?: string; limit: number }) =>
  withDatabase(async ({ database }) => {
    await accountSlug(database, options.account)
    const { endpoint: endpointId, status, limit } = options
    const deliveries = await listDeliveries(database, options.account, { endpointId, status, limit })
    if (options.json) printJson(deliveries)
    else
      for (const { id, endpoint_id, event_id, event_kind, status, attempts } of deliveries) {
        const last = attempts.at(-1)
        const outcome = last ? (last.error ?? `HTTP ${last.response_status}`) : 'no attempt yet'
        printLine(
          `${id}  endpoint ${endpoint_id}  ${event_kind} ${event_id}  ${status}  ${attempts.length}×  ${outcome}`,
        )
      }
  })

const replay = (options: AccountOptions & { endpoint: number; since?: string; afterEvent?: number }) =>
  withDatabase(async ({ database }) => {
    const { since, afterEvent } = options
    if (since === undefined && afterEvent === undefined)
      throw invalid('--since or --after-event', 'is required')
    const from = since === undefined ? { eventId: afterEvent as number } : { time: since }
    const result = await auditedCommand(
      database,
      options.account,
      tx => replayEvents(tx, options.account, options.endpoint, from),
      made => ({
        action: 'webhook_endpoint.replay',
        subjectId: options.endpoint,
        details: { since, after_event: afterEvent, ...made },
      }),
    )
    if (options.json) printJson(result)
    else printLine(`${counted(result.deliveries, 'event')} queued.`)
  })
