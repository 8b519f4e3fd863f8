import type { Command } from 'commander'
import { invalid, notFound } from '../kit/domain-error.ts'
import { isTimestamp } from '../kit/timestamp.ts'
import { csvStatement } from '../money/statements/csv-statement.ts'
import { affiliateExists } from '../programme/affiliates/affiliate-exists.ts'
import { withDatabase } from '../runtime/context.ts'
import { wholeNumber } from './options.ts'

export function addStatementCommand(program: Command): void {
  program
    .command('statement')
    .description("Write an affiliate's statement as CSV to standard output")
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .requiredOption('--affiliate <id>', 'Affiliate ID', wholeNumber)
    .option('--as-of <time>', 'Statement at this RFC 3339 time (default: now)')
    .addHelpText(
      'after',
      '\nExample:\n  $ tributary statement --account 1 --affiliate 7 --as-of 2026-01-31T00:00:00Z > statement.csv',
    )
    .action((options: { account: number; affiliate: number; asOf?: string }) =>
      withDatabase(async ({ database }) => {
        if (options.asOf !== undefined && !isTimestamp(options.asOf))
          throw invalid('--as-of', 'must be an RFC 3339 timestamp such as 2026-01-31T12:00:00.000Z')
        if (!(await affiliateExists(database, options.account, options.affiliate)))
          throw notFound('affiliate')
        await csvStatement(database, options.account, options.affiliate, options.asOf, text =>
          process.stdout.write(text),
        )
      }),
    )
}
