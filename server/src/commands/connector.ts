import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { baseUrl } from '../config.ts'
import { presentConnector, presentEvent } from '../connectors/connector.presenter.ts'
import { type ConnectorRow, listConnectors } from '../connectors/connector.store.ts'
import { type EventStatus, listEvents } from '../connectors/connector-event.store.ts'
import { namespaceOf } from '../connectors/connector-name.ts'
import { listCredits, presentCredit } from '../connectors/credits/credit-list.store.ts'
import { addConnector, endConnector, replayBillingEvents } from '../connectors/manage-connectors.ts'
import { providerNames } from '../connectors/providers.ts'
import { parseObject } from '../connectors/signature.ts'
import { syncConnector } from '../connectors/sync-connector.ts'
import type { Db } from '../db/database.ts'
import { invalid, notFound } from '../kit/domain-error.ts'
import { formatMinor } from '../kit/money.ts'
import { accountSlug } from '../programme/accounts/account-slug.ts'
import { withDatabase } from '../runtime/context.ts'
import { auditedCommand, recordCommand } from './audited-command.ts'
import { counted, printJson, printLine, readSecrets, wholeNumber } from './options.ts'

interface AccountOptions {
  account: number
  json?: boolean
}

interface AddOptions extends AccountOptions {
  name?: string
  signingSecret: string
  apiKey?: string
  apiUrl?: string
  campaign?: number
  base: 'net' | 'gross'
  testMode?: boolean
  mapping?: string
}

export function addConnectorCommands(program: Command): void {
  const connector = program
    .command('connector')
    .description('Connect billing systems and inspect their events')
    .addHelpText('after', '\n\nExample:\n  $ tributary connector list --account 1')
  const add = (name: string, description: string, example: string) =>
    connector
      .command(name)
      .description(description)
      .requiredOption('--account <id>', 'Account ID', wholeNumber)
      .option('--json', 'Print the result as JSON')
      .addHelpText('after', `\nExample:\n  $ tributary connector ${example}`)

  const addNamed = (name: string, description: string, example: string) =>
    add(name, description, example).argument(
      '[connector]',
      "ID, provider or provider-name (default: the account's only connector)",
    )

  add(
    'add',
    'Add a connector; prints the webhook URL to enter at the provider',
    'add stripe --account 1 --signing-secret - < signing-secret.txt',
  )
    .argument('<provider>', `One of ${providerNames.join(', ')}`)
    .option(
      '--name <name>',
      'For a second woocommerce or custom: its name, which becomes part of order numbers',
    )
    .requiredOption(
      '--signing-secret <secret>',
      "The provider's secret for signing events; - reads it from standard input",
    )
    .option(
      '--api-key <key>',
      "Key for the provider's API, to fetch what its events missed; - reads it from standard input, the line after the secret if both are -",
    )
    .option('--api-url <url>', "Address of the provider's API (default: the provider's own)")
    .option('--campaign <id>', 'Campaign of customers whose click does not name one', wholeNumber)
    .addOption(
      new Option('--base <base>', 'Base of commissions: without taxes, or with')
        .choices(['net', 'gross'])
        .default('net'),
    )
    .option('--test-mode', "Accept events of the provider's test mode, as test conversions")
    .option('--mapping <file>', 'For custom: JSON file that says where the fields of an event are')
    .action(addOne)

  add('list', 'List connectors', 'list --account 1').action(list)

  addNamed(
    'events',
    'List events and what they made, newest first',
    'events stripe --account 1 --status failed --json',
  )
    .addOption(
      new Option('--status <status>', 'Only events with this status').choices([
        'received',
        'applied',
        'ignored',
        'waiting',
        'failed',
      ]),
    )
    .option('--after <id>', 'Only events older than this one', wholeNumber)
    .option('--limit <number>', 'Maximum number of events', wholeNumber, 25)
    .action(showEvents)

  addNamed(
    'credits',
    'List credit rewards granted at the provider, newest first',
    'credits stripe --account 1 --json',
  )
    .option('--after <id>', 'Only credit older than this one', wholeNumber)
    .option('--limit <number>', 'Maximum number of lines', wholeNumber, 25)
    .action(showCredits)

  addNamed('replay', 'Process an event again, or all that failed', 'replay stripe --account 1 --event evt_1')
    .option('--event <id>', "The provider's ID of the event (default: all failed events)")
    .action(replay)

  addNamed(
    'sync',
    "Fetch what the events missed through the provider's API, and compare its totals with ours",
    'sync stripe --account 1 --since 2026-01-01',
  )
    .requiredOption('--since <time>', 'What happened since this time')
    .action(sync)

  addNamed('remove', 'Remove a connector; what its events made stays', 'remove 1 --account 1').action(remove)
}

/** The connector that a command line names by its ID, its provider, or both its provider and name; without a name, the account's only one. */
async function namedConnector(
  db: Db,
  { account }: AccountOptions,
  name: string | undefined,
): Promise<ConnectorRow> {
  await accountSlug(db, account)
  const all = await listConnectors(db, account)
  const exact = all.filter(each => name === String(each.id) || name === namespaceOf(each))
  const matching = exact.length > 0 ? exact : all.filter(each => name === undefined || name === each.provider)
  if (matching.length > 1) throw invalid('connector', 'matches several connectors; name one by its ID')
  if (!matching[0]) throw notFound('connector')
  return matching[0]
}

async function readMapping(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw invalid('mapping', 'is not a file that can be read')
  })
  const mapping = parseObject(Buffer.from(text))
  if (!mapping) throw invalid('mapping', 'must be a JSON object')
  return mapping
}

const addOne = (provider: string, options: AddOptions) =>
  withDatabase(async ({ database, secrets, settings }) => {
    const { account, name, apiUrl, campaign: campaignId, base, testMode: takesTests } = options
    await accountSlug(database, account)
    const { '--signing-secret': signingSecret, '--api-key': apiKey } = await readSecrets({
      '--signing-secret': options.signingSecret,
      '--api-key': options.apiKey,
    })
    const mapping = options.mapping === undefined ? undefined : await readMapping(options.mapping)
    const added = await auditedCommand(
      database,
      account,
      tx =>
        addConnector(tx, secrets, account, {
          provider,
          name,
          signingSecret,
          apiKey,
          apiUrl,
          campaignId,
          base,
          takesTests,
          mapping,
        }),
      ({ id }) => ({ action: 'connector.add', subjectId: id, details: { provider, name } }),
    )
    const shown = presentConnector(baseUrl(settings), added)
    if (options.json) printJson(shown)
    else printLine(`Connector ${shown.id} added. Webhook URL: ${shown.webhook_url}`)
  })

const list = (options: AccountOptions) =>
  withDatabase(async ({ database, settings }) => {
    await accountSlug(database, options.account)
    const rows = await listConnectors(database, options.account)
    const connectors = rows.map(row => presentConnector(baseUrl(settings), row))
    if (options.json) printJson(connectors)
    else
      for (const { id, webhook_url, ...named } of connectors)
        printLine(`${id}  ${namespaceOf(named)}  ${webhook_url}`)
  })

const showEvents = (
  name: string | undefined,
  options: AccountOptions & { status?: EventStatus; after?: number; limit: number },
) =>
  withDatabase(async ({ database }) => {
    const { account_id, id } = await namedConnector(database, options, name)
    const { status, after, limit } = options
    const events = (
      await listEvents(database, account_id, id, { status, limit, ...(after !== undefined && { after }) })
    )
      .slice(0, limit)
      .map(presentEvent)
    if (options.json) printJson(events)
    else
      for (const { provider_id, type, status, reason } of events)
        printLine(`${provider_id}  ${type}  ${status}${reason === null ? '' : `  ${reason}`}`)
  })

const showCredits = (name: string | undefined, options: AccountOptions & { after?: number; limit: number }) =>
  withDatabase(async ({ database }) => {
    const { account_id, id } = await namedConnector(database, options, name)
    const { after, limit } = options
    const rows = await listCredits(database, account_id, id, { limit, ...(after !== undefined && { after }) })
    const credits = rows.slice(0, limit).map(presentCredit)
    if (options.json) return printJson(credits)
    for (const { amount_minor, currency, customer, commission_id, status, problem } of credits)
      printLine(
        `${formatMinor(amount_minor, currency)} ${currency}  ${customer ?? '-'}  commission ${commission_id}  ${status}${problem === null ? '' : `  ${problem}`}`,
      )
  })

const replay = (name: string | undefined, options: AccountOptions & { event?: string }) =>
  withDatabase(async ({ database }) => {
    const { account_id, id } = await namedConnector(database, options, name)
    const result = await auditedCommand(
      database,
      account_id,
      tx => replayBillingEvents(tx, account_id, id, { providerId: options.event }),
      made => ({ action: 'connector.replay', subjectId: id, details: { event: options.event, ...made } }),
    )
    if (options.json) printJson(result)
    else printLine(`${counted(result.events, 'event')} queued.`)
  })

const sync = (name: string | undefined, options: AccountOptions & { since: string }) =>
  withDatabase(async ({ database: db, secrets, log }) => {
    const connector = await namedConnector(db, options, name)
    if (Number.isNaN(Date.parse(options.since))) throw invalid('--since', 'must be a date or a time')
    const since = new Date(options.since).toISOString()
    const result = await syncConnector({ db, secrets, log }, connector, since)
    const details = { since, missed: result.missed }
    await recordCommand(db, connector.account_id, {
      action: 'connector.sync',
      subjectId: connector.id,
      details,
    })
    if (options.json) return printJson(result)
    printLine(`${counted(result.missed, 'missed event')} fetched.`)
    if (result.problem !== null) printLine(result.problem)
    for (const [whose, totals] of [
      ['Provider', result.provider],
      ['Tributary', result.ours],
    ] as const)
      for (const { currency, sales_minor, refunds_minor } of totals)
        printLine(
          `${whose}: sales ${formatMinor(sales_minor, currency)} ${currency}, refunds ${formatMinor(refunds_minor, currency)} ${currency}`,
        )
    for (const { external_id, reason } of result.differences) printLine(`${external_id}: ${reason}`)
  })

const remove = (name: string | undefined, options: AccountOptions) =>
  withDatabase(async ({ database }) => {
    const { account_id, id } = await namedConnector(database, options, name)
    await auditedCommand(
      database,
      account_id,
      tx => endConnector(tx, account_id, id),
      () => ({ action: 'connector.remove', subjectId: id, details: {} }),
    )
    if (options.json) printJson({ id, removed: true })
    else printLine(`Connector ${id} removed.`)
  })
