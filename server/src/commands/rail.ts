import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { setPayPalCredentials } from '../money/payouts/rail-credentials.ts'
import { accountSlug } from '../programme/accounts/account-slug.ts'
import { withDatabase } from '../runtime/context.ts'
import { auditedCommand } from './audited-command.ts'
import { printLine, wholeNumber } from './options.ts'

export function addRailCommands(program: Command): void {
  const rail = program
    .command('rail')
    .description('Configure payout methods')
    .addHelpText(
      'after',
      '\n\nExample:\n  $ tributary rail paypal --account 1 --client-id AZ… < client-secret.txt',
    )
  rail
    .command('paypal')
    .description(
      "Set an account's PayPal credentials; reads the client secret from standard input and stores it encrypted",
    )
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .requiredOption('--client-id <id>', 'Client ID of a PayPal app with Payouts enabled')
    .addHelpText(
      'after',
      '\nExample:\n  $ tributary rail paypal --account 1 --client-id AZ… < client-secret.txt',
    )
    .action((options: { account: number; clientId: string }) =>
      withDatabase(async ({ database, secrets }) => {
        await accountSlug(database, options.account)
        // Not an option: every process on the machine can read a command line.
        const clientSecret = (await text(process.stdin)).trim()
        const { account, clientId } = options
        await auditedCommand(
          database,
          account,
          tx => setPayPalCredentials(tx, secrets, account, { clientId, clientSecret }),
          () => ({ action: 'rail.paypal', subjectId: null, details: { client_id: clientId } }),
        )
        printLine('PayPal credentials saved.')
      }),
    )
}
