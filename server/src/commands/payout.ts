import { type Command, Option } from 'commander'
import { invalid } from '../kit/domain-error.ts'
import { formatMinor } from '../kit/money.ts'
import { cancelItem } from '../money/payouts/cancel-item.ts'
import { recordCancellation } from '../money/payouts/cancel-payout.ts'
import { createPayout } from '../money/payouts/create-payout.ts'
import { paymentFile, startExport } from '../money/payouts/export-payout.ts'
import { recordManualOutcome, settleManualOutcome } from '../money/payouts/mark-payments.ts'
import { OpenRails } from '../money/payouts/open-rails.ts'
import { payPayout } from '../money/payouts/pay-payout.ts'
import { presentPayout } from '../money/payouts/payout.presenter.ts'
import { findHead, findPayout } from '../money/payouts/payout.store.ts'
import { settlePayout } from '../money/payouts/settle-payout.ts'
import { type Context, withDatabase } from '../runtime/context.ts'
import { auditedCommand, recordCommand } from './audited-command.ts'
import { counted, printJson, printLine, wholeNumber } from './options.ts'
import { printPreview, printShow } from './payout-print.ts'

interface AccountOptions {
  account: number
  json?: boolean
}
type RunOptions = AccountOptions & {
  campaign: number
  rail: 'manual' | 'paypal'
  cutOff?: string
  digest?: string
}
type ItemOptions = AccountOptions & { id: number; item?: number[]; reference?: string; reason?: string }

type AddCommand = (name: string, description: string, example: string) => Command

const severalNumbers = (text: string, before: number[] = []) => [
  ...before,
  ...text.split(',').map(wholeNumber),
]

export function addPayoutCommands(program: Command): void {
  const payout = program
    .command('payout')
    .description('Preview, create and track payouts')
    .addHelpText('after', '\n\nExample:\n  $ tributary payout preview --account 1 --campaign 1')
  const add: AddCommand = (name, description, example) =>
    payout
      .command(name)
      .description(description)
      .requiredOption('--account <id>', 'Account ID', wholeNumber)
      .option('--json', 'Print the result as JSON')
      .addHelpText('after', `\nExample:\n  $ tributary payout ${name} --account 1 ${example}`)
  const addRun: AddCommand = (...about) =>
    add(...about)
      .requiredOption('--campaign <id>', 'Campaign ID', wholeNumber)
      .addOption(new Option('--rail <rail>', 'Payout method').choices(['manual', 'paypal']).default('manual'))
      .option(
        '--cut-off <time>',
        'Include commissions created up to this time, or to the end of this day in the account’s time zone (default: now)',
      )
  const addOne: AddCommand = (...about) => add(...about).requiredOption('--id <id>', 'Payout ID', wholeNumber)
  const addDecision: AddCommand = (...about) =>
    addOne(...about)
      .option('--item <ids>', 'Only these payments, by comma-separated ID', severalNumbers)
      .option('--reference <text>', 'Payment reference, such as a transfer number')

  addRun(
    'preview',
    'Preview a payout: who would be paid, and who is excluded and why',
    '--campaign 1',
  ).action(preview)
  addRun('create', 'Create a payout', '--campaign 1 --digest 5f0c…')
    .option('--digest <hex>', 'Fail unless the payout matches the preview with this digest')
    .action(create)
  add('show', 'Show a payout and its payments, or list all payouts', '--id 1')
    .option('--id <id>', 'Payout ID (default: list all payouts)', wholeNumber)
    .option('--campaign <id>', 'Only payouts of this campaign', wholeNumber)
    .action(show)
  addDecision(
    'pay',
    'Mark a manual payout as paid, or send one to PayPal',
    '--id 1 --reference "SEPA 2026-11-15"',
  )
    .option(
      '--mark-paid',
      'Of a PayPal payout: mark what PayPal did not confirm as paid, instead of sending it',
    )
    .action(pay)
  addDecision(
    'fail',
    'Mark a payout or single payments as failed; their commissions become payable again',
    '--id 1 --item 7 --reason "Account closed"',
  )
    .option('--reason <text>', 'Reason', 'Not paid')
    .action(fail)
  addOne('cancel', 'Cancel a payout that was not sent, or a single unclaimed PayPal payment', '--id 1')
    .option('--item <id>', 'Only this payment', wholeNumber)
    .action(cancel)
  addOne(
    'export',
    'Write the payment file to standard output and mark the payout as sent',
    '--id 1 --format paypal > payout.csv',
  )
    .addOption(new Option('--format <format>', 'File format').choices(['paypal', 'bank']).default('bank'))
    .action(exportFile)
}

const requestOf = ({ campaign, rail, cutOff }: RunOptions) => ({ campaignId: campaign, rail, cutOff })

const preview = (options: RunOptions) =>
  withDatabase(({ database }) =>
    printPreview(database, options.account, requestOf(options), options.json ?? false),
  )

const show = (options: AccountOptions & { id?: number; campaign?: number }) =>
  withDatabase(({ database }) => printShow(database, options))

const create = (options: RunOptions) =>
  withDatabase(async ({ database }) => {
    const { digest } = options
    if (digest !== undefined && !/^[0-9a-f]{64}$/.test(digest))
      throw invalid('--digest', 'must be the 64 hexadecimal digits printed by the preview')
    const request = { ...requestOf(options), digest }
    const made = await auditedCommand(
      database,
      options.account,
      tx => createPayout(tx, options.account, request),
      ({ id, cutOff }) => ({
        action: 'payout.create',
        subjectId: id,
        details: {
          campaign_id: options.campaign,
          rail: options.rail,
          cut_off: options.cutOff && cutOff,
          digest,
        },
      }),
    )
    await printResult(database, options, made.id)
  })

/** Prints the payout's current state, as in the API or in one line. */
async function printResult(
  database: Context['database'],
  options: AccountOptions,
  id: number,
): Promise<void> {
  if (options.json) {
    const payout = await findPayout(database, options.account, id)
    if (payout) printJson(presentPayout(payout))
    return
  }
  const head = await findHead(database, options.account, id)
  if (head)
    printLine(
      `Payout ${id} is ${head.status}: ${counted(head.item_count, 'payment')}, ${formatMinor(head.total_minor, head.currency)} ${head.currency}.`,
    )
}

const pay = (options: ItemOptions & { markPaid?: boolean }) =>
  withDatabase(async ({ database, secrets }) => {
    const { account, id, item: items, reference, markPaid } = options
    const { submitted } = await auditedCommand(
      database,
      account,
      tx => payPayout(tx, secrets, account, id, { itemIds: items, reference, markPaid }),
      result => ({
        action: 'payout.pay',
        subjectId: id,
        details: result.submitted
          ? { rail: 'paypal' }
          : { items, reason: null, reference: reference ?? null },
      }),
    )
    if (!submitted) await settleManualOutcome(database, account, id)
    await printResult(database, options, id)
    if (submitted && !options.json)
      printLine('The running service will send it to PayPal and track each payment.')
  })

const fail = (options: ItemOptions) =>
  withDatabase(async ({ database }) => {
    const { account, id, item: items, reason = null, reference = null } = options
    await auditedCommand(
      database,
      account,
      tx =>
        recordManualOutcome(tx, account, id, { outcome: 'failed', reason, reference }, { itemIds: items }),
      () => ({ action: 'payout.fail', subjectId: id, details: { items, reason, reference } }),
    )
    await settleManualOutcome(database, account, id)
    await printResult(database, options, id)
  })

const cancel = (options: AccountOptions & { id: number; item?: number }) =>
  withDatabase(async ({ database, secrets, settings }) => {
    const { account, id, item } = options
    const change = { action: 'payout.cancel', subjectId: id, details: { item } }
    if (item === undefined) {
      await auditedCommand(
        database,
        account,
        tx => recordCancellation(tx, account, id),
        () => change,
      )
      await settlePayout(database, account, id)
    } else {
      const rails = new OpenRails({ db: database, secrets, settings })
      await cancelItem(database, rails, account, id, item).finally(() => rails.close())
      await recordCommand(database, account, change)
    }
    await printResult(database, options, id)
  })

const exportFile = (options: AccountOptions & { id: number; format: 'paypal' | 'bank' }) =>
  withDatabase(async ({ database }) => {
    const { account, id, format } = options
    await auditedCommand(
      database,
      account,
      tx => startExport(tx, account, id, format),
      () => ({ action: 'payout.export', subjectId: id, details: { format } }),
    )
    for await (const text of paymentFile(database, account, id, format)) process.stdout.write(text)
  })
