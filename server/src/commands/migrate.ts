import type { Command } from 'commander'
import { assertSecretKey, withContext } from '../runtime/context.ts'
import { printLine } from './options.ts'

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Apply pending migrations and exit; `serve` does so on start')
    .addHelpText('after', '\nExample:\n  $ DATABASE_URL=postgres://owner@db/tributary tributary migrate')
    .action(() =>
      withContext(async context => {
        const applied = await context.migrate()
        // Without `prepare`: it encrypts nothing, and its key may be one that was generated for this run only.
        await assertSecretKey(context)
        for (const name of applied) printLine(`applied ${name}`)
        if (applied.length === 0) printLine('The database is up to date.')
      }),
    )
}
