import type { Command } from 'commander'
import { explainReferral } from '../earning/conversions/explain-referral.ts'
import { reviewReferral } from '../earning/referrals/review-referral.ts'
import { withDatabase } from '../runtime/context.ts'
import { auditedCommand } from './audited-command.ts'
import { printJson, printLine, wholeNumber } from './options.ts'

interface ReferralOptions {
  account: number
  json?: boolean
}

function addReview(referral: Command, name: 'approve' | 'reject', description: string): void {
  referral
    .command(name)
    .description(description)
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .requiredOption('--id <id>', 'Referral ID', wholeNumber)
    .option('--json', 'Print the referral as JSON, as in the API')
    .addHelpText('after', `\nExample:\n  $ tributary referral ${name} --account 1 --id 7`)
    .action((options: ReferralOptions & { id: number }) =>
      withDatabase(async ({ database }) => {
        const decision = name === 'approve' ? 'approved' : 'rejected'
        const reviewed = await auditedCommand(
          database,
          options.account,
          tx => reviewReferral(tx, options.account, options.id, decision),
          ({ id }) => ({ action: 'referral.review', subjectId: id, details: { status: decision } }),
        )
        if (options.json) printJson(reviewed)
        else printLine(`Referral ${reviewed.id} ${reviewed.status}.`)
      }),
    )
}

export function addReferralCommands(program: Command): void {
  const referral = program
    .command('referral')
    .description('Review referrals')
    .addHelpText('after', '\n\nExample:\n  $ tributary referral approve --account 1 --id 7')
  addReview(referral, 'approve', 'Approve a referral that is in review')
  addReview(referral, 'reject', 'Reject a referral: voids pending commissions and claws back the others')

  program
    .command('explain')
    .description('Explain how a referral was attributed')
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .requiredOption('--referral <id>', 'Referral ID', wholeNumber)
    .option('--json', 'Print the explanation as JSON')
    .addHelpText('after', '\nExample:\n  $ tributary explain --account 1 --referral 7')
    .action((options: ReferralOptions & { referral: number }) =>
      withDatabase(async ({ database }) => {
        const attribution = await explainReferral(database, options.account, options.referral)
        if (options.json) {
          printJson(attribution)
          return
        }
        printLine(`${attribution.reason} (${attribution.model}, ${attribution.window_days}-day window)`)
        for (const { source, affiliate_id, click_id, outcome, reason } of attribution.candidates)
          printLine(
            `  ${outcome}: ${source}${click_id ? ` ${click_id}` : ''} by affiliate ${affiliate_id ?? '?'}: ${reason}`,
          )
        for (const reason of attribution.review) printLine(`  review: ${reason}`)
      }),
    )
}
