import type { Command } from 'commander'
import { rebuild } from '../insight/roll-up.ts'
import { notFound } from '../kit/domain-error.ts'
import { findAccount } from '../programme/accounts/account.store.ts'
import { withDatabase } from '../runtime/context.ts'
import { counted, printLine, wholeNumber } from './options.ts'

/** Commands for the rolled-up performance by day. */
export function addInsightCommands(program: Command): void {
  const insight = program
    .command('insight')
    .description('Manage the rolled-up performance by day')
    .addHelpText('after', '\n\nExample:\n  $ tributary insight rebuild --account 1')
  insight
    .command('rebuild')
    .description(
      'Compute every day again from its clicks, sales and commissions; safe while the service runs',
    )
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .addHelpText('after', '\nExample:\n  $ tributary insight rebuild --account 1')
    .action(({ account }: { account: number }) =>
      withDatabase(async ({ database, settings }) => {
        if (!(await findAccount(database, account))) throw notFound('account')
        const days = await rebuild(database, account, settings.TRIBUTARY_CLICK_RETENTION_DAYS)
        printLine(`Computed ${counted(days, 'day')}.`)
      }),
    )
}
