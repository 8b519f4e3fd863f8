import type { Command } from 'commander'
import { invalid } from '../kit/domain-error.ts'
import { findAccount } from '../programme/accounts/account.store.ts'
import { createAccount } from '../programme/accounts/create-account.ts'
import { updateAccount } from '../programme/accounts/update-account.ts'
import { createApiKey } from '../programme/api-keys/create-api-key.ts'
import { withDatabase } from '../runtime/context.ts'
import { auditedCommand, recordCommand } from './audited-command.ts'
import { printJson, printLine, readSecrets, wholeNumber } from './options.ts'

interface CreateOptions {
  name: string
  email: string
  password: string
  slug?: string
  timeZone?: string
  keyName?: string
  json?: boolean
}

interface UpdateOptions {
  account: number
  name?: string
  timeZone?: string
  json?: boolean
}

export function addAccountCommands(program: Command): void {
  const account = program
    .command('account')
    .description('Manage accounts')
    .addHelpText('after', '\n\nExample:\n  $ tributary account create --help')
  account
    .command('create')
    .description('Create an account and its owner')
    .requiredOption('--name <text>', 'Company name')
    .requiredOption('--email <address>', 'Email address that the owner signs in with')
    .requiredOption(
      '--password <text>',
      'Password of the owner, at least 8 characters; - reads it from standard input',
    )
    .option('--slug <text>', 'Identifier of the account in URLs (default: derived from the name)')
    .option('--time-zone <zone>', 'Time zone of reports, such as Europe/Berlin (default: UTC)')
    .option('--key-name <text>', 'Also create an API key with this name and print it on the last line')
    .option('--json', 'Print the result as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ tributary account create --name Acme --email owner@acme.example --password - --key-name backend < password.txt',
    )
    .action((options: CreateOptions) =>
      withDatabase(async ({ database }) => {
        const { keyName, json, ...rest } = options
        const { '--password': password } = await readSecrets({ '--password': rest.password })
        const details = { ...rest, password }
        const { created, key } = await database.transaction(async tx => {
          const created = await createAccount(tx, details)
          const { account_id: id, slug } = created
          await recordCommand(tx, id, {
            action: 'account.create',
            subjectId: id,
            details: {
              name: details.name,
              slug,
              email: details.email,
              time_zone: (await findAccount(tx, id))?.time_zone,
            },
          })
          if (keyName === undefined) return { created }
          const key = await createApiKey(tx, id, keyName)
          await recordCommand(tx, id, {
            action: 'api_key.create',
            subjectId: key.id,
            details: { name: keyName },
          })
          return { created, key }
        })
        if (json) {
          printJson({ ...created, ...(key && { api_key: key.key }) })
          return
        }
        printLine(
          `Created account ${created.account_id} (${created.slug}), owned by user ${created.user_id}.`,
        )
        if (key) printLine(`API key (won't be shown again):\n${key.key}`)
      }),
    )
  account
    .command('update')
    .description('Change the name or time zone of an account')
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .option('--name <text>', 'Company name')
    .option('--time-zone <zone>', 'Time zone of reports, such as Europe/Berlin')
    .option('--json', 'Print the result as JSON')
    .addHelpText('after', '\nExample:\n  $ tributary account update --account 1 --time-zone Europe/Berlin')
    .action((options: UpdateOptions) =>
      withDatabase(async ({ database }) => {
        const { account: id, name, timeZone: time_zone, json } = options
        if (name === undefined && time_zone === undefined)
          throw invalid('--name or --time-zone', 'is required')
        const { saved } = await auditedCommand(
          database,
          id,
          tx => updateAccount(tx, id, { name, time_zone }),
          ({ before, saved }) => ({
            action: 'account.update',
            subjectId: id,
            details: {
              name,
              ...(before.name !== saved.name && { name_before: before.name }),
              ...(time_zone && { time_zone: saved.time_zone, time_zone_before: before.time_zone }),
            },
          }),
        )
        if (json) printJson(saved)
        else printLine(`Updated account ${id} (${saved.slug}): ${saved.name}, time zone ${saved.time_zone}.`)
      }),
    )
}
