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
    .requiredOption('--account <id>', 'the account', wholeNumber)
    .requiredOption('--id <id>', 'the referral', wholeNumber)
    .option('--json', 'print the referral as the API shows it')
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
        else printLine(`Referral ${reviewed.id} is ${reviewed.status}.`)
      }),
    )
}

export function addReferralCommands(program: Command): void {
  const referral = program
    .command('referral')
    .description('review of referrals')
    .addHelpText('after', '\n\nExample:\n  $ tributary referral approve --account 1 --id 7')
  addReview(referral, 'approve', 'let a referral that waits for review count')
  addReview(referral, 'reject', 'reject a referral: pending commissions are voided, others clawed back')

  program
    .command('explain')
    .description('say why a referral was credited as it was')
    .requiredOption('--account <id>', 'the account', wholeNumber)
    .requiredOption('--referral <id>', 'the referral', wholeNumber)
    .option('--json', 'print the explanation as JSON')
    .addHelpText('after', '\nExample:\n  $ tributary explain --account 1 --referral 7')
    .action((options: ReferralOptions & { referral: number }) =>
      withDatabase(async ({ database }) => {
        const attribution = await explainReferral(database, options.account, options.referral)
        if (options.json) {
          printJson(attribution)
          return
        }
        printLine(`${attribution.reason} (${attribution.model}, window of ${attribution.window_days} days)`)
        for (const { source, affiliate_id, click_id, outcome, reason } of attribution.candidates)
          printLine(
            `  ${outcome}: ${source}${click_id ? ` ${click_id}` : ''} of affiliate ${affiliate_id ?? '?'}: ${reason}`,
          )
        for (const reason of attribution.review) printLine(`  to review: ${reason}`)
      }),
    )
}
