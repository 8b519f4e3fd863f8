import { type Command, InvalidArgumentError } from 'commander'
import { invalid, notFound } from '../kit/domain-error.ts'
import { isTimestamp } from '../kit/timestamp.ts'
import { adjustBalance } from '../money/commissions/adjust-balance.ts'
import { setRate } from '../money/fx/set-rate.ts'
import { balancesOf } from '../money/ledger/balances.ts'
import { affiliateExists } from '../programme/affiliates/affiliate-exists.ts'
import { withDatabase } from '../runtime/context.ts'
import { auditedCommand } from './audited-command.ts'
import { counted, printJson, printLine, wholeNumber } from './options.ts'

function signedNumber(text: string): number {
  if (!/^-?\d{1,16}$/.test(text)) throw new InvalidArgumentError('Must be an integer.')
  return Number(text)
}

interface AdjustOptions {
  account: number
  affiliate: number
  campaign: number
  amountMinor: number
  description: string
  json?: boolean
}

function addAdjust(program: Command): void {
  program
    .command('adjust')
    .description("Adjust an affiliate's balance")
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .requiredOption('--affiliate <id>', 'Affiliate ID', wholeNumber)
    .requiredOption('--campaign <id>', 'Campaign ID', wholeNumber)
    .requiredOption(
      '--amount-minor <amount>',
      'Amount in minor units of the payout currency; may be negative',
      signedNumber,
    )
    .requiredOption('--description <text>', 'Reason, shown to the affiliate')
    .option('--json', 'Print the commission as JSON, as in the API')
    .addHelpText(
      'after',
      '\nExample:\n  $ tributary adjust --account 1 --affiliate 7 --campaign 1 --amount-minor -500 --description "Paid twice in May"',
    )
    .action((options: AdjustOptions) =>
      withDatabase(async ({ database }) => {
        const { account, affiliate: affiliateId, campaign: campaignId, amountMinor, description } = options
        const entry = await auditedCommand(
          database,
          account,
          tx => adjustBalance(tx, account, { affiliateId, campaignId, amountMinor, description }),
          ({ id, affiliate_id, campaign_id, amount_minor }) => ({
            action: 'commission.adjust',
            subjectId: id,
            details: { affiliate_id, campaign_id, amount_minor, description },
          }),
        )
        if (options.json) printJson(entry)
        else
          printLine(`Created adjustment ${entry.id}: ${entry.amount_minor} ${entry.currency} (minor units).`)
      }),
    )
}

function addBalance(program: Command): void {
  program
    .command('balance')
    .description("Show an affiliate's balance in each payout currency")
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .requiredOption('--affiliate <id>', 'Affiliate ID', wholeNumber)
    .option('--as-of <time>', 'Balance at this RFC 3339 time (default: now)')
    .option('--json', 'Print the balances as a JSON array')
    .addHelpText(
      'after',
      '\nExample:\n  $ tributary balance --account 1 --affiliate 7 --as-of 2026-01-31T00:00:00Z',
    )
    .action((options: { account: number; affiliate: number; asOf?: string; json?: boolean }) =>
      withDatabase(async ({ database }) => {
        if (options.asOf !== undefined && !isTimestamp(options.asOf))
          throw invalid('--as-of', 'must be an RFC 3339 timestamp such as 2026-01-31T12:00:00.000Z')
        if (!(await affiliateExists(database, options.account, options.affiliate)))
          throw notFound('affiliate')
        const balances = await balancesOf(database, options.account, options.affiliate, options.asOf)
        if (options.json) printJson(balances)
        else if (balances.length === 0) printLine('No balance.')
        else
          for (const balance of balances) {
            const { currency, balance_minor, pending_minor, approved_minor, paid_out_minor } = balance
            const credit = balance.credit_minor === 0 ? '' : `, credit ${balance.credit_minor}`
            printLine(
              `${balance_minor} ${currency} (pending ${pending_minor}, approved ${approved_minor}, paid out ${paid_out_minor}${credit})`,
            )
          }
      }),
    )
}

function addFx(program: Command): void {
  const fx = program
    .command('fx')
    .description('Manage exchange rates')
    .addHelpText('after', '\n\nExample:\n  $ tributary fx set --from EUR --to USD --rate 1.0853')
  fx.command('set')
    .description('Set the exchange rate of a currency pair')
    .requiredOption('--from <code>', 'Currency to convert from')
    .requiredOption('--to <code>', 'Currency to convert to')
    .requiredOption('--rate <decimal>', 'Units of --to per unit of --from')
    .option('--day <date>', 'First day that the rate applies (default: today)')
    .option('--json', 'Print the rate as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ tributary fx set --from EUR --to USD --rate 1.0853 --day 2026-01-31',
    )
    .action((options: { from: string; to: string; rate: string; day?: string; json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const rate = await setRate(database, options)
        if (options.json) printJson(rate)
        else printLine(`1 ${rate.from} = ${rate.rate} ${rate.to} from ${rate.day}.`)
      }),
    )
  fx.command('fetch')
    .description('Fetch exchange rates from TRIBUTARY_FX_URL now; the service does so daily')
    .addHelpText('after', '\nExample:\n  $ tributary fx fetch')
    .action(() =>
      withDatabase(async ({ database, settings }) => {
        if (settings.TRIBUTARY_FX_URL === undefined) throw invalid('TRIBUTARY_FX_URL', 'is not set')
        const { fetchRates } = await import('../money/fx/fetch-rates.ts')
        printLine(`Fetched ${counted(await fetchRates(database, settings.TRIBUTARY_FX_URL), 'rate')}.`)
      }),
    )
}

/** Commands for balances, adjustments and exchange rates. */
export function addLedgerCommands(program: Command): void {
  addAdjust(program)
  addBalance(program)
  addFx(program)
}
