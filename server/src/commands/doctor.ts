import type { Command } from 'commander'
import { createLog } from '../kit/log.ts'
import { type Context, loadSettings, openContext } from '../runtime/context.ts'
import { checks } from '../runtime/installation/checks.ts'
import { findDamagedEntries, repairEntry } from '../runtime/installation/repair-ledger.ts'
import { recordCommand } from './audited-command.ts'
import { printLine } from './options.ts'

/** Prints a line for each check; what is wrong goes to standard error and makes the program exit with 1. */
export async function printChecks({ database, secrets }: Context): Promise<void> {
  for (const [name, check] of Object.entries(checks)) {
    const problems = await check(database, secrets)
    printLine(`${problems.length === 0 ? 'ok   ' : 'WRONG'}  ${name}`)
    for (const problem of problems) process.stderr.write(`       ${problem}\n`)
    if (problems.length > 0) process.exitCode = 1
    // Without the schema nothing else can be asked.
    if (problems.length > 0 && name === 'migrations') break
  }
}

/**
 * Mends entries that races of earlier versions left apart from their clawbacks, refunds or referral. One transaction each, with its line in
 * the audit log, so that it can be stopped and run again at any time.
 */
async function repairDamage({ database }: Context): Promise<void> {
  const damaged = await findDamagedEntries(database)
  let mended = 0
  for (const entry of damaged) {
    const done = await database.transaction(async tx => {
      const steps = await repairEntry(tx, entry)
      if (steps.length > 0)
        await recordCommand(tx, entry.account_id, {
          action: 'commission.repair',
          subjectId: entry.id,
          details: { done: steps },
        })
      return steps
    })
    if (done.length > 0) mended++
    for (const step of done) printLine(`commission ${entry.id} of account ${entry.account_id}: ${step}`)
  }
  printLine(damaged.length === 0 ? 'Nothing to repair.' : `Repaired ${mended} of ${damaged.length} entries.`)
}

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check the database; exit 0 when all is well, 1 and what is wrong when not')
    .option(
      '--repair',
      'first correct commissions that have parted from their clawbacks, refunds or referral, by new entries',
    )
    .addHelpText('after', '\nExample:\n  $ tributary doctor\n  $ tributary doctor --repair')
    .action(async ({ repair }: { repair?: boolean }) => {
      const context = await openContext(loadSettings(), createLog('warn', 2))
      try {
        // Without the schema there is nothing to repair; the checks below name what is missing.
        if (repair && (await checks.migrations?.(context.database, context.secrets))?.length === 0)
          await repairDamage(context)
        await printChecks(context)
      } finally {
        await context.close()
      }
    })
}
