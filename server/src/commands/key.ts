import type { Command } from 'commander'
import { notFound } from '../kit/domain-error.ts'
import { accountSlug } from '../programme/accounts/account-slug.ts'
import { listApiKeys, revokeApiKey } from '../programme/api-keys/api-key.store.ts'
import { createApiKey } from '../programme/api-keys/create-api-key.ts'
import { withDatabase } from '../runtime/context.ts'
import { auditedCommand } from './audited-command.ts'
import { printJson, printLine, wholeNumber } from './options.ts'

export function addKeyCommands(program: Command): void {
  const key = program
    .command('key')
    .description('Manage API keys')
    .addHelpText('after', '\n\nExample:\n  $ tributary key list --account 1 --json')
  key
    .command('create')
    .description('Create an API key; prints it once, on the last line')
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .requiredOption('--name <text>', 'Name of the key')
    .addHelpText('after', '\nExample:\n  $ tributary key create --account 1 --name backend')
    .action((options: { account: number; name: string }) =>
      withDatabase(async ({ database }) => {
        const { account, name } = options
        const { id, key } = await auditedCommand(
          database,
          account,
          tx => createApiKey(tx, account, name),
          made => ({ action: 'api_key.create', subjectId: made.id, details: { name } }),
        )
        process.stderr.write(`API key ${id} (won't be shown again):\n`)
        printLine(key)
      }),
    )
  key
    .command('list')
    .description("List an account's API keys, newest first")
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .option(
      '--json',
      'Print a JSON array of {id, name, last_four, created_at, last_used_at, revoked_at, created_by}',
    )
    .addHelpText('after', '\nExample:\n  $ tributary key list --account 1 --json')
    .action((options: { account: number; json?: boolean }) =>
      withDatabase(async ({ database }) => {
        await accountSlug(database, options.account)
        const keys = await listApiKeys(database, options.account)
        if (options.json) printJson(keys)
        else
          for (const { id, name, last_four, last_used_at, revoked_at } of keys) {
            const state = revoked_at ? `revoked ${revoked_at}` : `last used ${last_used_at ?? 'never'}`
            printLine(`${id}  …${last_four}  ${name}  ${state}`)
          }
      }),
    )
  key
    .command('revoke')
    .description('Revoke an API key, effective immediately')
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .requiredOption('--id <id>', 'Key ID', wholeNumber)
    .addHelpText('after', '\nExample:\n  $ tributary key revoke --account 1 --id 1')
    .action((options: { account: number; id: number }) =>
      withDatabase(async ({ database }) => {
        const revoked = await auditedCommand(
          database,
          options.account,
          async tx => {
            const found = await revokeApiKey(tx, options.account, options.id)
            if (!found) throw notFound('API key')
            return found
          },
          ({ id, name, last_four }) => ({
            action: 'api_key.revoke',
            subjectId: id,
            details: { name, last_four },
          }),
        )
        printLine(`Revoked API key ${revoked.id} (…${revoked.last_four}) at ${revoked.revoked_at}.`)
      }),
    )
}
