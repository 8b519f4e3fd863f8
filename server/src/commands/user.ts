import type { Command } from 'commander'
import { baseUrl } from '../config.ts'
import { notFound } from '../kit/domain-error.ts'
import { accountSlug } from '../programme/accounts/account-slug.ts'
import { makeResetLink, RESET_MINUTES } from '../programme/team/reset-password.ts'
import { listMembers } from '../programme/team/team.store.ts'
import { withDatabase } from '../runtime/context.ts'
import { printJson, printLine, wholeNumber } from './options.ts'

export function addUserCommands(program: Command): void {
  const user = program
    .command('user')
    .description('Manage dashboard users')
    .addHelpText('after', '\n\nExample:\n  $ tributary user list --account 1')
  user
    .command('list')
    .description("List an account's users and their roles")
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .option('--json', 'Print a JSON array of {id, email, name, role, created_at}')
    .addHelpText('after', '\nExample:\n  $ tributary user list --account 1 --json')
    .action((options: { account: number; json?: boolean }) =>
      withDatabase(async ({ database }) => {
        await accountSlug(database, options.account)
        const members = await listMembers(database, options.account)
        if (options.json) printJson(members)
        else
          for (const { id, email, name, role } of members)
            printLine(`${id}  ${email}${name === null ? '' : ` (${name})`}  ${role}`)
      }),
    )
  user
    .command('reset')
    .description('Create a password reset link, for installations without email; prints it on the last line')
    .requiredOption('--email <address>', 'Email address of the user')
    .addHelpText('after', '\nExample:\n  $ tributary user reset --email owner@acme.example')
    .action((options: { email: string }) =>
      withDatabase(async ({ database, settings }) => {
        const link = await makeResetLink(database, baseUrl(settings), options.email)
        if (link === undefined) throw notFound('user')
        process.stderr.write(`Single-use link, valid for ${RESET_MINUTES} minutes:\n`)
        printLine(link)
      }),
    )
}
