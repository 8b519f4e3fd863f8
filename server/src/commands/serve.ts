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

/** How this very program is called. `npx` finds it in a checkout alone; elsewhere it would fetch another package of that name. */
const howToCall = (): string =>
  existsSync(join(projectRoot, 'contract/src'))
    ? 'npx tributary'
    : `node ${join(projectRoot, 'server/bin/tributary.js')}`

/**
 * What to do first. The code proves that whoever sets up the service can read its output. The command works in another terminal,
 * which does not know where this one keeps its data.
 */
const firstSteps = (
  baseUrl: string,
  code: string,
  dataDir: string | undefined,
) => `There is no account yet. Set up the first one at

  ${baseUrl}/dashboard/setup

with the code ${code}
or, in another terminal, together with an API key:

  ${dataDir ? `TRIBUTARY_DATA_DIR='${dataDir}' ` : ''}${howToCall()} account create --name "My company" --email you@example.com --password "at least 8 characters" --key-name first
`

/** Prepares the words for whoever has started the service; made before anybody can ask, so that they are printed in one go. */
async function greeting(database: Database): Promise<(url: string) => void> {
  const setupCode = (await anyAccountExists(database)) ? undefined : await newSetupCode(database)
  return url => {
    printLine(`Tributary is listening on ${url}`)
    if (setupCode !== undefined) printLine(firstSteps(url, setupCode, process.env.TRIBUTARY_DATA_DIR))
  }
}

const tellOfStop = (log: Logger, why: string) =>
  log.info(`${why}: answering the requests in hand, then stopping`)

/** Runs the service until it is asked to stop; `greet` may say more once it listens. */
export async function runService(
  context: Context,
  prepared: Promise<unknown>,
  signal: Promise<NodeJS.Signals>,
  greet?: (url: string) => Promise<void>,
): Promise<void> {
  const hello = prepared.then(() => greeting(context.database))
  const service = await startService(context, hello)
  const sayHello = await hello
  sayHello(service.url)
  await greet?.(service.url)
  tellOfStop(context.log, await signal)
  await service.stop()
}

/** For how long PostgreSQL may take to notice that a killed process is gone. */
const NOTICES_THE_DEAD_MS = 2_000

/**
 * SIGHUP says that the terminal was closed, and stops the service. A group without a terminal takes it as a request to replace its
 * processes; its members leave the answer to the first one.
 */
const hangUpStops = (processes: number) => processes === 1 || (cluster.isPrimary && isatty(process.stdout.fd))

/** Runs the service in several processes. This first one answers no requests: it keeps the others. */
async function runGroup(context: Context, signals: StopSignals, env: NodeJS.ProcessEnv): Promise<void> {
  const { settings, log, database } = context
  const { choosePort, ProcessGroup } = await import('../runtime/process-group.ts')
  const port = await choosePort(settings)
  const sayHello = await greeting(database)
  const processes = settings.TRIBUTARY_PROCESSES
  const place = { PORT: String(port), HOST: settings.HOST, TRIBUTARY_PROCESSES: String(processes) }
  const group = new ProcessGroup(processes, { ...env, ...place }, log)
  if (!hangUpStops(processes)) process.on('SIGHUP', () => group.restart())
  endWith(signals.insisted, async () => {
    await group.kill()
    await context.abandon(NOTICES_THE_DEAD_MS)
  })
  const { Readiness } = await import('../http/readiness.ts')
  const readiness = new Readiness(database)
  // Not ready before the others serve.
  readiness.isDraining = true
  const operator = await openOperatorPort(context, readiness, group.metrics)
  if (await group.start()) {
    readiness.isDraining = false
    sayHello(baseUrl(settings, port))
    tellOfStop(log, await signals.asked)
  } else process.exitCode = 1
  readiness.isDraining = true
  await group.stop()
  await operator?.close()
}

/** Runs one process of several, until it is asked to stop or the first one is gone. */
async function runMember(settings: Settings, log: Logger, signals: StopSignals): Promise<void> {
  const [{ GroupMember }, { connectionsEach, exportsEach }] = await Promise.all([
    import('../runtime/group-member.ts'),
    import('../runtime/process-group.ts'),
  ])
  const member = new GroupMember()
  const { TRIBUTARY_PROCESSES: processes, TRIBUTARY_EXPORTS_AT_ONCE: wanted } = settings
  const limits = { max: connectionsEach(processes), exports: exportsEach(processes, wanted) }
  const context = await openContext(settings, log, limits)
  endWith(signals.insisted, () => context.abandon())
  try {
    const service = await startService(context, prepareAloud(context), member)
    const { letGoMs } = await Promise.race([
      member.dismissed,
      signals.asked.then(() => ({ letGoMs: undefined })),
    ])
    await service.stop(letGoMs)
    // What was counted here since somebody last asked is not to be lost.
    await member.sendMetrics()
  } finally {
    await context.close()
  }
}

async function prepareAloud(context: Context): Promise<void> {
  const applied = await prepare(context)
  if (applied.length > 0) context.log.info({ applied }, 'the database schema was brought up to date')
}

function processCount(text: string): number {
  const count = wholeNumber(text)
  if (count < 1 || count > MOST_PROCESSES)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_PROCESSES}.`)
  return count
}

/** What stands in `.env` alone is left out: each process reads it for itself, and a new one as it is then. */
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
  for (const name of unknownSettings(process.env)) log.warn(`${name} is not a setting of Tributary`)
  const context = await launchContext(settings, log)
  try {
    const prepared = context.ready.then(() => prepareAloud(context))
    if (isGroup) {
      await prepared
      await runGroup(context, signals, withoutEnvFile(given))
    } else {
      endWith(signals.insisted, () => context.abandon())
      await runService(context, prepared, signals.asked)
    }
  } finally {
    await context.close()
  }
}

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the API, the background work and the web pages')
    .option(
      '--processes <number>',
      'how many processes answer requests, on one port (default: TRIBUTARY_PROCESSES, or 1)',
      processCount,
    )
    .addHelpText('after', '\nExample:\n  $ PORT=8080 tributary serve')
    .action(({ processes }: { processes?: number }) =>
      // The line to the first process would keep one of a group from ending, however it ends.
      serve(processes).finally(() => cluster.worker?.disconnect()),
    )
}
