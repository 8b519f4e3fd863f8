import type { Command } from 'commander'
import { baseUrl, unknownSettings } from '../config.ts'
import { createLog } from '../kit/log.ts'
import { type Context, loadSettings, openContext, prepare } from '../runtime/context.ts'
import { listenOn } from '../runtime/listen-on.ts'
import { endWith, listenForStop } from '../runtime/signals.ts'
import { boundYoungGeneration } from '../runtime/young-generation.ts'

/** Runs background work until a stop signal, with health and metrics endpoints if a port is set. */
async function runWorker(context: Context, signal: Promise<NodeJS.Signals>): Promise<void> {
  const { settings, log, database } = context
  const [{ buildOperatorApp }, { createProcessMetrics }, { Readiness }, { startBackground }, { Registry }] =
    await Promise.all([
      import('../http/operator-app.ts'),
      import('../http/metrics.ts'),
      import('../http/readiness.ts'),
      import('../runtime/background/background.ts'),
      import('prom-client'),
    ])
  const registry = new Registry()
  createProcessMetrics(registry, database)
  const readiness = new Readiness(database)
  const app = await buildOperatorApp(log, readiness, registry.contentType, () => registry.metrics())
  const { HOST: host, TRIBUTARY_WORKER_PORT: port } = settings
  if (port !== undefined) await listenOn(app, host, 'TRIBUTARY_WORKER_PORT', port)
  boundYoungGeneration()
  const background = startBackground({ ...context, registry, isWorker: true })
  log.info('worker started')
  log.info(`${await signal}: stopping, finishing work in flight`)
  readiness.isDraining = true
  await background.stop()
  await app.close()
}

export function addWorkerCommand(program: Command): void {
  program
    .command('worker')
    .description('Run background work only, alongside one or more `serve`')
    .addHelpText(
      'after',
      '\nUse the same settings as `serve`, such as the secret key, TRIBUTARY_BASE_URL and TRIBUTARY_SMTP_URL.\n\nExample:\n  $ DATABASE_URL=postgres://tributary@db/tributary tributary worker',
    )
    .action(async () => {
      const settings = loadSettings()
      const log = createLog(settings.LOG_LEVEL)
      for (const name of unknownSettings(process.env)) log.warn(`unknown setting: ${name}`)
      if (settings.TRIBUTARY_BASE_URL === undefined)
        log.warn(`TRIBUTARY_BASE_URL is not set: links in emails lead to ${baseUrl(settings)}`)
      const signals = listenForStop()
      const context = await openContext(settings, log)
      endWith(signals.forced, () => context.abandon())
      try {
        await prepare(context)
        await runWorker(context, signals.requested)
      } finally {
        await context.close()
      }
    })
}
