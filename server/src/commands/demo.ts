import { type Command, InvalidArgumentError } from 'commander'
import { baseUrl } from '../config.ts'
import { invalidState } from '../kit/domain-error.ts'
import { createLog } from '../kit/log.ts'
import { slugFrom } from '../kit/slug.ts'
import { anyAccountExists, findAccountBySlug } from '../programme/accounts/account.store.ts'
import { type Context, loadSettings, openContext, prepare, withDatabase } from '../runtime/context.ts'
import { endWith, listenForStop } from '../runtime/signals.ts'
import type { Demo } from '../tools/demo/fill-demo.ts'
import { printLine, wholeNumber } from './options.ts'
import { runService } from './serve.ts'

const DEFAULT_NAME = 'Meridian Software'
const [LEAST_SCALE, MOST_SCALE] = [0.05, 3]

interface DemoCommand {
  seed: number
  scale: number
  accountName?: string
  serve?: boolean
}

function scale(text: string): number {
  if (!/^\d(\.\d{1,2})?$/.test(text) || Number(text) < LEAST_SCALE || Number(text) > MOST_SCALE)
    throw new InvalidArgumentError(`Must be a number from ${LEAST_SCALE} to ${MOST_SCALE}.`)
  return Number(text)
}

/** Sample data has timestamps in the past, which only the owner of the tables can write. */
async function fill(context: Context, options: DemoCommand): Promise<Demo> {
  const { settings, secrets } = context
  const { fillDemo } = await import('../tools/demo/fill-demo.ts')
  const owner = context.connectOwner('tributary demo')
  try {
    return await fillDemo(
      owner,
      { db: owner, secrets, settings, baseUrl: baseUrl(settings) },
      { ...options, accountName: options.accountName ?? DEFAULT_NAME },
    )
  } finally {
    await owner.close()
  }
}

function printDemo({ slug, totals }: Demo): void {
  const { affiliates, clicks, conversions, unattributed, sales, refunds, payouts } = totals
  printLine(
    `Account ${slug}: ${affiliates} affiliates, ${clicks} clicks, ${conversions} conversions (${unattributed} unattributed), ` +
      `${sales} sales, ${refunds} refunds, ${totals.commissions} ledger entries (${totals.earned} earned, ${totals.paid} paid), ` +
      `${payouts} payouts, ${totals.deliveries} webhook deliveries.`,
  )
}

async function printSignIn(url: string): Promise<void> {
  const { DEMO_EMAIL, DEMO_PASSWORD } = await import('../tools/demo/open-account.ts')
  printLine(`\nSign in at ${url}/dashboard\n\n  Email     ${DEMO_EMAIL}\n  Password  ${DEMO_PASSWORD}\n`)
}

async function make(context: Context, options: DemoCommand): Promise<void> {
  if (options.accountName === undefined && (await anyAccountExists(context.database)))
    throw invalidState(
      'This installation already has accounts. To add the demo anyway, pass a new account name with --account-name.',
    )
  process.stderr.write('Generating a year of sample data (up to a minute)…\n')
  printDemo(await fill(context, options))
}

/** Runs the service with the demo account, which the first start creates. */
async function serve(options: DemoCommand): Promise<void> {
  const settings = loadSettings()
  const signals = listenForStop()
  const context = await openContext(
    settings,
    createLog(settings.LOG_LEVEL === 'info' ? 'warn' : settings.LOG_LEVEL),
  )
  endWith(signals.forced, () => context.abandon())
  try {
    await prepare(context)
    const slug = slugFrom(options.accountName ?? DEFAULT_NAME, 'demo')
    if ((await findAccountBySlug(context.database, slug)) === undefined) await make(context, options)
    await runService(context, Promise.resolve(), signals.requested, printSignIn)
  } finally {
    await context.close()
  }
}

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('Create a demo account with a year of sample data')
    .option('--seed <number>', 'Seed of the sample data; the same seed gives the same data', wholeNumber, 1)
    .option('--scale <number>', 'Amount of data relative to the default', scale, 1)
    .option('--account-name <text>', `Account name (default: "${DEFAULT_NAME}")`)
    .option('--serve', 'Then run the service; keeps an existing demo account')
    .addHelpText('after', '\nExample:\n  $ tributary demo --seed 1')
    .action((options: DemoCommand) =>
      options.serve
        ? serve(options)
        : withDatabase(async context => {
            await make(context, options)
            await printSignIn(baseUrl(context.settings))
          }),
    )
}
