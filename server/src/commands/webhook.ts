import { type EventKind, eventKinds } from '@tributary/contract'
import { type Command, Option } from 'commander'
import { invalid } from '../kit/domain-error.ts'
import { accountSlug } from '../programme/accounts/account-slug.ts'
import { withDatabase } from '../runtime/context.ts'
import { listDeliveries } from '../webhooks/endpoints/delivery-log.store.ts'
import { redeliver, replayEvents, sendTestEvent } from '../webhooks/endpoints/redeliver.ts'
import { setEndpointStatus } from '../webhooks/endpoints/set-endpoint-status.ts'
import { auditedCommand } from './audited-command.ts'
import { printJson, printLine, wholeNumber } from './options.ts'

interface AccountOptions {
  account: number
  json?: boolean
}

type AddCommand = (name: string, description: string, example: string) => Command

export function addWebhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('deliveries of events to webhook endpoints')
    .addHelpText('after', '\n\nExample:\n  $ tributary webhook deliveries --account 1')
  const add: AddCommand = (name, description, example) =>
    webhook
      .command(name)
      .description(description)
      .requiredOption('--account <id>', 'the account', wholeNumber)
      .option('--json', 'print the result as JSON')
      .addHelpText('after', `\nExample:\n  $ tributary webhook ${name} --account 1 ${example}`)

  add(
    'deliveries',
    'list deliveries with their attempts, newest first',
    '--endpoint 1 --status failed --json',
  )
    .option('--endpoint <id>', 'only to this endpoint', wholeNumber)
    .addOption(
      new Option('--status <status>', 'only in this status').choices([
        'pending',
        'delivered',
        'failed',
        'canceled',
      ]),
    )
    .option('--limit <number>', 'how many', wholeNumber, 25)
    .action(showDeliveries)

  add('redeliver', 'send one event once more', '--id 42')
    .requiredOption('--id <id>', 'the delivery', wholeNumber)
    .action((options: AccountOptions & { id: number }) =>
      withDatabase(async ({ database }) => {
        const result = await auditedCommand(
          database,
          options.account,
          tx => redeliver(tx, options.account, options.id),
          made => ({ action: 'delivery.redeliver', subjectId: options.id, details: made }),
        )
        if (options.json) printJson(result)
        else printLine(`Delivery ${result.delivery_id} is on its way.`)
      }),
    )

  add(
    'replay',
    'send an endpoint all events since a time or after an event',
    '--endpoint 1 --since 2026-01-31T00:00:00Z',
  )
    .requiredOption('--endpoint <id>', 'the endpoint', wholeNumber)
    .addOption(new Option('--since <time>', 'events from this time on').conflicts('afterEvent'))
    .option('--after-event <id>', 'events after this one', wholeNumber)
    .action(replay)

  addSwitch(add, 'enable', 'switch an endpoint on again; what it missed can be replayed')
  addSwitch(add, 'disable', 'switch an endpoint off and end what is still to be delivered to it')

  add('test', 'send a sample event, marked by the header Tributary-Test', '--endpoint 1')
    .requiredOption('--endpoint <id>', 'the endpoint', wholeNumber)
    .addOption(
      new Option('--event <kind>', 'which sample (default: the first it subscribes to)').choices(eventKinds),
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
        else printLine(`Delivery ${result.delivery_id} is on its way.`)
      }),
    )
}

function addSwitch(add: AddCommand, name: 'enable' | 'disable', description: string): void {
  add(name, description, '--endpoint 1')
    .requiredOption('--endpoint <id>', 'the endpoint', wholeNumber)
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
    else printLine(`${result.deliveries} events are on their way.`)
  })
