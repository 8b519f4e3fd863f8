import { Command } from 'commander'

interface Output {
  out(text: string): void
  err(text: string): void
}

type Add = (program: Command) => void

/** Commands and what adds them, in the order of the help text. */
const COMMANDS: [names: string[], load: () => Promise<Add>][] = [
  [['serve'], async () => (await import('./serve.ts')).addServeCommand],
  [['worker'], async () => (await import('./worker.ts')).addWorkerCommand],
  [['migrate'], async () => (await import('./migrate.ts')).addMigrateCommand],
  [['account'], async () => (await import('./account.ts')).addAccountCommands],
  [['user'], async () => (await import('./user.ts')).addUserCommands],
  [['key'], async () => (await import('./key.ts')).addKeyCommands],
  [['campaign'], async () => (await import('./campaign.ts')).addCampaignCommands],
  [['referral', 'explain'], async () => (await import('./referral.ts')).addReferralCommands],
  [['adjust', 'balance', 'fx'], async () => (await import('./ledger.ts')).addLedgerCommands],
  [['statement'], async () => (await import('./statement.ts')).addStatementCommand],
  [['payout'], async () => (await import('./payout.ts')).addPayoutCommands],
  [['rail'], async () => (await import('./rail.ts')).addRailCommands],
  [['webhook'], async () => (await import('./webhook.ts')).addWebhookCommands],
  [['connector'], async () => (await import('./connector.ts')).addConnectorCommands],
  [['insight'], async () => (await import('./insight.ts')).addInsightCommands],
  [['listen'], async () => (await import('./listen.ts')).addListenCommand],
  [['demo'], async () => (await import('./demo.ts')).addDemoCommand],
  [['backup', 'restore'], async () => (await import('./backup.ts')).addBackupCommands],
  [['doctor'], async () => (await import('./doctor.ts')).addDoctorCommand],
]

/**
 * The command that the arguments name, or all of them: loading the others would be a tenth of a command's processor time. With a custom
 * output it throws a CommanderError instead of exiting the process.
 */
export async function commandLine(args: string[], output?: Output): Promise<Command> {
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
  const named = COMMANDS.filter(([names]) => names.includes(args[0] ?? ''))
  for (const [, load] of named.length > 0 ? named : COMMANDS) (await load())(program)
  return program
}
