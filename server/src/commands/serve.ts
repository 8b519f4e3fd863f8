import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import { type Command, InvalidArgumentError } from 'commander'
import type { Logger } from 'pino'
import { baseUrl, MOST_PROCESSES, type Settings, unknownSettings } from '../config.ts'
import type { Database } from '../db/database.ts'
import { createLog } from '../kit/log.ts'
import { projectRoot } from '../paths.ts'
import { anyAccountExists } from '../programme/accounts/account.store.ts'
import { newSetupCode } from '../programme/team/set-up.ts'
import { type Context, launchContext, loadSettings, openContext, prepare } from '../runtime/context.ts'
import { openOperatorPort } from '../runtime/operator-port.ts'
import { startService } from '../runtime/service.ts'
import { endWith, listenForStop, type StopSignals } from '../runtime/signals.ts'
import { printLine, wholeNumber } from './options.ts'

/** How to run this program. `npx` only finds it in a checkout; elsewhere it would fetch an unrelated package of that name. */
const programCommand = (): string =>
  existsSync(join(projectRoot, 'contract/src'))
    ? 'npx tributary'
    : `node ${join(projectRoot, 'server/bin/tributary.js')}`

/**
 * Instructions for the first start. The code proves that the user who sets up the service can read its output. The command includes the
 * data directory, because it runs in another terminal.
 */
const firstSteps = (
  baseUrl: string,
  code: string,
  dataDir: string | undefined,
) => `No accounts yet. Create the first one at

  ${baseUrl}/dashboard/setup

Setup code: ${code}

Or run this in another terminal, which also creates an API key:

  ${dataDir ? `TRIBUTARY_DATA_DIR='${dataDir}' ` : ''}${programCommand()} account create --name "My company" --email you@example.com --password "at least 8 characters" --key-name first
`

/** Prepares the start-up message before the service listens, so that it prints at once. */
async function startUpMessage(database: Database): Promise<(url: string) => void> {
  const setupCode = (await anyAccountExists(database)) ? undefined : await newSetupCode(database)
  return url => {
    printLine(`Tributary is listening on ${url}`)
    if (setupCode !== undefined) printLine(firstSteps(url, setupCode, process.env.TRIBUTARY_DATA_DIR))
  }
}

const logStopping = (log: Logger, signal: string) => log.info(`${signal}: stopping, draining requests`)

/** Runs the service until a stop signal; `onListening` may print more once it listens. */
export async function runService(
  context: Context,
  prepared: Promise<unknown>,
  signal: Promise<NodeJS.Signals>,
  onListening?: (url: string) => Promise<void>,
): Promise<void> {
  const message = prepared.then(() => startUpMessage(context.database))
  const service = await startService(context, message)
  const printStarted = await message
  printStarted(service.url)
  await onListening?.(service.url)
  logStopping(context.log, await signal)
  await service.stop()
}

/** How long PostgreSQL may take to notice that a killed process is gone. */
const NOTICES_THE_DEAD_MS = 2_000

/**
 * SIGHUP means that the terminal was closed, and stops the service. A group without a terminal treats it as a request for a rolling
 * restart; its members leave it to the primary.
 */
const hangUpStops = (processes: number) => processes === 1 || (cluster.isPrimary && isatty(process.stdout.fd))

/** Runs the service in several processes. This primary serves no requests: it supervises the members. */
async function runGroup(context: Context, signals: StopSignals, env: NodeJS.ProcessEnv): Promise<void> {
  const { settings, log, database } = context
  const { choosePort, ProcessGroup } = await import('../runtime/process-group.ts')
  const port = await choosePort(settings)
  const printStarted = await startUpMessage(database)
  const processes = settings.TRIBUTARY_PROCESSES
  const place = { PORT: String(port), HOST: settings.HOST, TRIBUTARY_PROCESSES: String(processes) }
  const group = new ProcessGroup(processes, { ...env, ...place }, log)
  // Before there are members, a request needs no restart: they read the code and the settings when they start.
  if (!hangUpStops(processes)) process.on('SIGHUP', () => group.restart())
  endWith(signals.forced, async () => {
    await group.kill()
    await context.abandon(NOTICES_THE_DEAD_MS)
  })
  const { Readiness } = await import('../http/readiness.ts')
  const readiness = new Readiness(database)
  // Not ready before the members serve.
  readiness.isDraining = true
  const operator = await openOperatorPort(context, readiness, group.metrics)
  if (await group.start()) {
    readiness.isDraining = false
    printStarted(baseUrl(settings, port))
    logStopping(log, await signals.requested)
  } else process.exitCode = 1
  readiness.isDraining = true
  await group.stop()
  await operator?.close()
}

/** Runs one member of a group, until a stop signal or until the primary is gone. */
async function runMember(settings: Settings, log: Logger, signals: StopSignals): Promise<void> {
  const [{ GroupMember }, { connectionsEach, exportsEach }] = await Promise.all([
    import('../runtime/group-member.ts'),
    import('../runtime/process-group.ts'),
  ])
  const member = new GroupMember()
  const { TRIBUTARY_PROCESSES: processes, TRIBUTARY_EXPORTS_AT_ONCE: wanted } = settings
  const limits = { max: connectionsEach(processes), exports: exportsEach(processes, wanted) }
  const context = await openContext(settings, log, limits)
  endWith(signals.forced, () => context.abandon())
  try {
    const service = await startService(context, prepareAndLog(context), member)
    const { letGoMs } = await Promise.race([
      member.dismissed,
      signals.requested.then(() => ({ letGoMs: undefined })),
    ])
    await service.stop(letGoMs)
    // Counts since the last scrape must not be lost.
    await member.sendMetrics()
  } finally {
    await context.close()
  }
}

async function prepareAndLog(context: Context): Promise<void> {
  const applied = await prepare(context)
  if (applied.length > 0) context.log.info({ applied }, 'schema migrated')
}

function processCount(text: string): number {
  const count = wholeNumber(text)
  if (count < 1 || count > MOST_PROCESSES)
    throw new InvalidArgumentError(`Must be a whole number from 1 to ${MOST_PROCESSES}.`)
  return count
}

/** Without variables from `.env`: each process reads the file on its own start, and so gets its current content. */
const withoutEnvFile = (given: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.keys(process.env).map(name => [name, given[name]]))

async function serve(processes: number | undefined): Promise<void> {
  const given = { ...process.env }
  const settings = loadSettings()
  settings.TRIBUTARY_PROCESSES = processes ?? settings.TRIBUTARY_PROCESSES
  const log = createLog(settings.LOG_LEVEL)
  const signals = listenForStop({ hangUpStops: hangUpStops(settings.TRIBUTARY_PROCESSES) })
  const isGroup = settings.TRIBUTARY_PROCESSES > 1
  if (isGroup && cluster.isWorker) return runMember(settings, log, signals)
  for (const name of unknownSettings(process.env)) log.warn(`unknown setting: ${name}`)
  const context = await launchContext(settings, log)
  try {
    const prepared = context.ready.then(() => prepareAndLog(context))
    if (isGroup) {
      await prepared
      await runGroup(context, signals, withoutEnvFile(given))
    } else {
      endWith(signals.forced, () => context.abandon())
      await runService(context, prepared, signals.requested)
    }
  } finally {
    await context.close()
  }
}

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Run the API, the web pages and background work')
    .option(
      '--processes <number>',
      'Number of processes that serve requests on one port (default: TRIBUTARY_PROCESSES, or 1)',
      processCount,
    )
    .addHelpText('after', '\nExample:\n  $ PORT=8080 tributary serve')
    .action(({ processes }: { processes?: number }) =>
      // The IPC channel to the primary would keep a member from exiting.
      serve(processes).finally(() => cluster.worker?.disconnect()),
    )
}
