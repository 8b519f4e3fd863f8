import type { Command } from 'commander'
import { checks } from '../installation/checks.ts'
import { createLog } from '../kit/log.ts'
import { type Context, loadSettings, openContext } from './context.ts'
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

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check the database; exit 0 when all is well, 1 and what is wrong when not')
    .addHelpText('after', '\nExample:\n  $ tributary doctor')
    .action(async () => {
      const context = await openContext(loadSettings(), createLog('warn', 2))
      try {
        await printChecks(context)
      } finally {
        await context.close()
      }
    })
}
