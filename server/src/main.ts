import { Command } from 'commander'
import { BackupError } from './backup/backup-format.ts'
import { addAccountCommands } from './commands/account.ts'
import { addBackupCommands } from './commands/backup.ts'
import { addCampaignCommands } from './commands/campaign.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addKeyCommands } from './commands/key.ts'
import { addLedgerCommands } from './commands/ledger.ts'
import { addListenCommand } from './commands/listen.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addPayoutCommands } from './commands/payout.ts'
import { addRailCommands } from './commands/rail.ts'
import { addReferralCommands } from './commands/referral.ts'
import { addServeCommand } from './commands/serve.ts'
import { addStatementCommand } from './commands/statement.ts'
import { addUserCommands } from './commands/user.ts'
import { addWebhookCommands } from './commands/webhook.ts'
import { addWorkerCommand } from './commands/worker.ts'
import { SettingsError } from './config.ts'
import { EmbeddedPostgresError } from './db/embedded/embedded-postgres-error.ts'
import { betraysPooler, isOperatorsMistake, isUnavailable } from './db/failures.ts'
import { MigrationError } from './db/migration-files.ts'
import { DomainError } from './kit/domain-error.ts'
import { isReaderGone } from './kit/log.ts'

/** Errors that an operator can act on are said in a sentence; anything else is a fault of ours and shows where it arose. */
function describe(error: unknown): string {
  const expected = [DomainError, SettingsError, MigrationError, EmbeddedPostgresError, BackupError]
  if (expected.some(kind => error instanceof kind)) return (error as Error).message
  if (isUnavailable(error)) return `The database cannot be reached: ${(error as Error).message}`
  if (isOperatorsMistake(error)) return `The database refuses us: ${(error as Error).message}`
  if (betraysPooler(error))
    return 'The database is behind a pooler that hands connections round: set TRIBUTARY_DATABASE_POOLER=transaction.'
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const program = new Command('tributary')
  .description('Run an affiliate or referral programme.')
  .showHelpAfterError('(add --help to see what is possible)')
  .addHelpText(
    'after',
    `
Example:
  $ tributary serve

In the checkout write npx tributary, or npm exec tributary -- with options; in the Docker image tributary; anywhere else
node /path/to/checkout/server/bin/tributary.js. Outside a checkout npx would fetch a package of that name that is not ours.`,
  )

addServeCommand(program)
addWorkerCommand(program)
addMigrateCommand(program)
addAccountCommands(program)
addUserCommands(program)
addKeyCommands(program)
addCampaignCommands(program)
addReferralCommands(program)
addLedgerCommands(program)
addStatementCommand(program)
addPayoutCommands(program)
addRailCommands(program)
addWebhookCommands(program)
addListenCommand(program)
addDemoCommand(program)
addBackupCommands(program)
addDoctorCommand(program)

// The reader of our output may stop early (`| head`, a closed terminal); the command still finishes what it does.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', error => {
    if (!isReaderGone(error)) throw error
  })

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}
