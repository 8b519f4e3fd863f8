import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { FastifyInstance } from 'fastify'
import { anyAccountExists } from '../accounts/account.store.ts'
import { baseUrl, unknownSettings } from '../config.ts'
import { createLog } from '../kit/log.ts'
import { newSetupCode } from '../team/set-up.ts'
import { type Context, loadSettings, openContext, prepare } from './context.ts'
import { listenOn } from './listen-on.ts'
import { printLine } from './options.ts'
import { untilSignalled } from './signals.ts'

const DRAIN_MS = 10_000
const LET_GO_EVERY_MS = 50

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

  ${dataDir ? `TRIBUTARY_DATA_DIR='${dataDir}' ` : ''}npx tributary account create --name "My company" --email you@example.com --password "at least 8 characters" --key-name first
`

/** Answers what has been asked and takes no more; whoever has not finished in time is cut off. */
async function drain(app: FastifyInstance): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  // A connection whose last request has been answered would be kept for the next one, and the process with it.
  const letGo = setInterval(() => app.server.closeIdleConnections(), LET_GO_EVERY_MS)
  await app.close()
  clearInterval(letGo)
  clearTimeout(cutOff)
}

/** Runs the service until it is asked to stop; `greet` may say more once it listens. */
export async function runService(
  context: Context,
  signal: Promise<NodeJS.Signals>,
  greet?: (url: string) => Promise<void>,
): Promise<void> {
  const { settings, log, database, secrets } = context
  // Loaded only here: the other commands should not wait for what they do not use.
  const [{ buildApp }, { Readiness }, { startBackground }, { Registry }] = await Promise.all([
    import('../http/app.ts'),
    import('../http/readiness.ts'),
    import('../background/background.ts'),
    import('prom-client'),
  ])
  const services = {
    db: database,
    secrets,
    settings,
    // With PORT=0 the port is known only once the service listens.
    get baseUrl(): string {
      return baseUrl(settings, (app.server.address() as AddressInfo | null)?.port)
    },
  }
  const registry = new Registry()
  const readiness = new Readiness(database)
  const app: FastifyInstance = await buildApp({ services, log, registry, readiness })
  // Made before anybody can ask, so that it is printed in one go with the address.
  const setupCode = (await anyAccountExists(database)) ? undefined : await newSetupCode(database)
  await listenOn(app, settings.HOST, 'PORT', settings.PORT)
  const background = startBackground({ ...context, registry, address: services.baseUrl })
  printLine(`Tributary is listening on ${services.baseUrl}`)
  if (setupCode !== undefined)
    printLine(firstSteps(services.baseUrl, setupCode, process.env.TRIBUTARY_DATA_DIR))
  await greet?.(services.baseUrl)

  log.info(`${await signal}: answering the requests in hand, then stopping`)
  readiness.isDraining = true
  // Whoever sends requests here asks for readiness now and then, and goes elsewhere before the door is shut.
  await sleep(settings.TRIBUTARY_DRAIN_DELAY_SECONDS * 1000)
  await drain(app)
  await background.stop()
}

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the API, the background work and the web pages')
    .addHelpText('after', '\nExample:\n  $ PORT=8080 npx tributary serve')
    .action(async () => {
      const settings = loadSettings()
      const log = createLog(settings.LOG_LEVEL)
      for (const name of unknownSettings(process.env)) log.warn(`${name} is not a setting of Tributary`)
      const signal = untilSignalled()
      const context = await openContext(settings, log)
      try {
        const applied = await prepare(context)
        if (applied.length > 0) log.info({ applied }, 'the database schema was brought up to date')
        await runService(context, signal)
      } finally {
        await context.close()
      }
    })
}
