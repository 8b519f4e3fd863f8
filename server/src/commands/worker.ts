import type { Command } from 'commander'
import pino from 'pino'
import { loadSettings, openContext, prepare } from './context.ts'
import { untilSignalled } from './signals.ts'

export function addWorkerCommand(program: Command): void {
  program
    .command('worker')
    .description('run background work alone, beside one or more `serve`')
    .addHelpText(
      'after',
      '\nExample:\n  $ DATABASE_URL=postgres://tributary@db/tributary npx tributary worker',
    )
    .action(async () => {
      const settings = loadSettings()
      const log = pino({ level: settings.LOG_LEVEL })
      const signal = untilSignalled()
      const context = await openContext(settings, log)
      try {
        await prepare(context)
        const [{ startBackground }, { Registry }] = await Promise.all([
          import('../background/background.ts'),
          import('prom-client'),
        ])
        const background = startBackground({ ...context, registry: new Registry() })
        log.info('the worker runs')
        log.info(`${await signal}: finishing the work in hand`)
        await background.stop()
      } finally {
        await context.close()
      }
    })
}
