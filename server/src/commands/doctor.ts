import type { Command } from 'commander'
import { type Context, withContext } from '../runtime/context.ts'
import { checks } from '../runtime/installation/checks.ts'
import { findDamagedEntries, repairEntry } from '../runtime/installation/repair-ledger.ts'
import { recordCommand } from './audited-command.ts'
import { printLine } from './options.ts'

/** Prints a line per check. Findings go to standard error and set exit code 1. */
export async function printChecks({ database, secrets, settings }: Context): Promise<void> {
  for (const [name, check] of Object.entries(checks)) {
    const problems = await check(database, secrets, settings)
    printLine(`${problems.length === 0 ? 'ok   ' : 'FAIL '}  ${name}`)
    for (const problem of problems) process.stderr.write(`       ${problem}\n`)
    if (problems.length > 0) process.exitCode = 1
    // The other checks need the schema.
    if (problems.length > 0 && name === 'migrations') break
  }
}

/**
 * Repairs entries that races in earlier versions left inconsistent with their clawbacks, refunds or referral. One transaction each, with
 * its audit entry, so that it can be stopped and run again at any time.
 */
async function repairDamage({ database }: Context): Promise<void> {
  const damaged = await findDamagedEntries(database)
  let repaired = 0
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
    if (done.length > 0) repaired++
    for (const step of done) printLine(`commission ${entry.id} of account ${entry.account_id}: ${step}`)
  }
  printLine(
    damaged.length === 0 ? 'Nothing to repair.' : `Repaired ${repaired} of ${damaged.length} entries.`,
  )
}

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Check the database; exits with 1 and lists the problems if any check fails')
    .option(
      '--repair',
      'First repair commissions that are inconsistent with their clawbacks, refunds or referral, by adding entries',
    )
    .addHelpText('after', '\nExample:\n  $ tributary doctor\n  $ tributary doctor --repair')
    .action(({ repair }: { repair?: boolean }) =>
      withContext(async context => {
        const { database, secrets, settings } = context
        // Without the schema there is nothing to repair; the checks below report what is missing.
        const missing = await checks.migrations?.(database, secrets, settings)
        if (repair && missing?.length === 0) await repairDamage(context)
        await printChecks(context)
      }),
    )
}
