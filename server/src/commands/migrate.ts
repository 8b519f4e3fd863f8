import type { Command } from 'commander'
import { createLog } from '../kit/log.ts'
import { loadSettings, openContext, prepare } from '../runtime/context.ts'
import { printLine } from './options.ts'

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Apply pending migrations and exit; `serve` does so on start')
    .addHelpText('after', '\nExample:\n  $ DATABASE_URL=postgres://owner@db/tributary tributary migrate')
    .action(async () => {
      const settings = loadSettings()
      const context = await openContext(settings, createLog('warn', 2))
      try {
        const applied = await prepare(context)
        for (const name of applied) printLine(`applied ${name}`)
        if (applied.length === 0) printLine('The database is up to date.')
      } finally {
        await context.close()
      }
    })
}
