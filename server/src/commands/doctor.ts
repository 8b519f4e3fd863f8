import type { Command } from 'commander'
import { checks } from '../installation/checks.ts'
import { createLog } from '../kit/log.ts'
import { loadSettings, openContext } from './context.ts'
import { printLine } from './options.ts'

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check the database; exit 0 when all is well, 1 and what is wrong when not')
    .addHelpText('after', '\nExample:\n  $ npx tributary doctor')
    .action(async () => {
      const context = await openContext(loadSettings(), createLog('warn', 2))
      try {
        for (const [name, check] of Object.entries(checks)) {
          const problems = await check(context.database, context.secrets)
          printLine(`${problems.length === 0 ? 'ok   ' : 'WRONG'}  ${name}`)
          for (const problem of problems) process.stderr.write(`       ${problem}\n`)
          if (problems.length > 0) process.exitCode = 1
          // Without the schema nothing else can be asked.
          if (problems.length > 0 && name === 'migrations') break
        }
      } finally {
        await context.close()
      }
    })
}
