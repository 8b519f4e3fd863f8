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
    .description('how payouts leave')
    .addHelpText(
      'after',
      '\n\nExample:\n  $ tributary rail paypal --account 1 --client-id AZ… < client-secret.txt',
    )
  rail
    .command('paypal')
    .description(
      'set what the account signs in to PayPal with; the secret is read from standard input and kept encrypted',
    )
    .requiredOption('--account <id>', 'the account', wholeNumber)
    .requiredOption('--client-id <id>', 'of an app with the Payouts feature')
    .addHelpText(
      'after',
      '\nExample:\n  $ tributary rail paypal --account 1 --client-id AZ… < client-secret.txt',
    )
    .action((options: { account: number; clientId: string }) =>
      withDatabase(async ({ database, secrets }) => {
        await accountSlug(database, options.account)
        // Not an option: what stands on a command line is read by every process of the machine.
        const clientSecret = (await text(process.stdin)).trim()
        const { account, clientId } = options
        await auditedCommand(
          database,
          account,
          tx => setPayPalCredentials(tx, secrets, account, { clientId, clientSecret }),
          () => ({ action: 'rail.paypal', subjectId: null, details: { client_id: clientId } }),
        )
        printLine('The PayPal credentials are set.')
      }),
    )
}
