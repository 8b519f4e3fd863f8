import { Command } from 'commander'
import { addAccountCommands } from './account.ts'
import { addBackupCommands } from './backup.ts'
import { addCampaignCommands } from './campaign.ts'
import { addConnectorCommands } from './connector.ts'
import { addDemoCommand } from './demo.ts'
import { addDoctorCommand } from './doctor.ts'
import { addInsightCommands } from './insight.ts'
import { addKeyCommands } from './key.ts'
import { addLedgerCommands } from './ledger.ts'
import { addListenCommand } from './listen.ts'
import { addMigrateCommand } from './migrate.ts'
import { addPayoutCommands } from './payout.ts'
import { addRailCommands } from './rail.ts'
import { addReferralCommands } from './referral.ts'
import { addServeCommand } from './serve.ts'
import { addStatementCommand } from './statement.ts'
import { addUserCommands } from './user.ts'
import { addWebhookCommands } from './webhook.ts'
import { addWorkerCommand } from './worker.ts'

interface Output {
  out(text: string): void
  err(text: string): void
}

/** All commands. With a custom output it throws a CommanderError instead of exiting the process. */
export function commandLine(output?: Output): Command {
  const program = new Command('tributary')
    .description('Run an affiliate or referral programme.')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .showHelpAfterError('(use --help for usage)')
    .addHelpText(
      'after',
      `
Example:
  $ tributary serve

In a checkout, run npx tributary (or npm exec tributary -- to pass options); in the Docker image, tributary; anywhere else,
node /path/to/checkout/server/bin/tributary.js. Outside a checkout, npx would fetch an unrelated package of that name.`,
    )
  // Before the commands are added: each inherits this from its parent.
  if (output) program.exitOverride().configureOutput({ writeOut: output.out, writeErr: output.err })
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
  addConnectorCommands(program)
  addInsightCommands(program)
  addListenCommand(program)
  addDemoCommand(program)
  addBackupCommands(program)
  addDoctorCommand(program)
  return program
}
