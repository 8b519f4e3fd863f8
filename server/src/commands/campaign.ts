import type { Campaign } from '@tributary/contract'
import { type Command, Option } from 'commander'
import { slugFrom } from '../kit/slug.ts'
import { accountSlug } from '../programme/accounts/account-slug.ts'
import { createCampaign } from '../programme/campaigns/create-campaign.ts'
import { rewardsOf } from '../programme/campaigns/rewards.ts'
import { withDatabase } from '../runtime/context.ts'
import { auditedCommand } from './audited-command.ts'
import { printJson, printLine, wholeNumber } from './options.ts'

interface CreateOptions {
  account: number
  name: string
  slug?: string
  programType: Campaign['program_type']
  visibility: Campaign['visibility']
  payoutCurrency: string
  attributionModel: Campaign['attribution_model']
  attributionWindowDays: number
  holdDays: number
  minimumPayoutMinor: number
  openEnrollment?: boolean
  destinationUrl?: string
  commission: string
  refereeReward?: string
  recurring: number | 'forever'
  credit?: boolean
  reviewReferrals?: boolean
  lookBack: boolean
  json?: boolean
}

const choice = (flags: string, meaning: string, values: string[]) =>
  new Option(flags, meaning).choices(values).default(values[0])

export function addCampaignCommands(program: Command): void {
  const campaign = program
    .command('campaign')
    .description('Manage campaigns')
    .addHelpText(
      'after',
      '\n\nExample:\n  $ tributary campaign create --account 1 --name "Partner programme"',
    )
  campaign
    .command('create')
    .description('Create a campaign')
    .requiredOption('--account <id>', 'Account ID', wholeNumber)
    .requiredOption('--name <text>', 'Campaign name')
    .option('--slug <text>', 'Identifier of the campaign in URLs (default: derived from the name)')
    .addOption(choice('--program-type <type>', 'Kind of programme', ['affiliate', 'referral']))
    .addOption(
      choice('--visibility <visibility>', 'Whether the portal lists the campaign', ['private', 'public']),
    )
    .option('--payout-currency <code>', 'ISO 4217 currency of payouts', 'USD')
    .addOption(choice('--attribution-model <model>', 'Which click wins', ['last_click', 'first_click']))
    .option('--attribution-window-days <days>', 'Days that a click can be credited', wholeNumber, 60)
    .option('--hold-days <days>', 'Days that commissions are held for refunds', wholeNumber, 30)
    .option('--minimum-payout-minor <amount>', 'Minimum payout in minor units', wholeNumber, 5000)
    .option('--open-enrollment', 'Let anyone join; without it, a public campaign is invite-only')
    .option('--destination-url <url>', 'Destination of referral links')
    .option('--commission <rule>', 'Percentage, or minor units and currency ("500 USD")', '20%')
    .option(
      '--recurring <months>',
      'Months in which a customer\'s sales earn, 0 for the first sale only, or "forever"',
      months,
      'forever',
    )
    .option('--referee-reward <rule>', 'Reward for the new customer (referral campaigns only)')
    .option('--credit', 'Pay rewards as credit instead of money (referral campaigns only)')
    .option('--review-referrals', 'Hold every referral for review')
    .option('--no-look-back', 'Do not credit conversions from while an affiliate was pending')
    .option('--json', 'Print the campaign as JSON, as in the API')
    .addHelpText(
      'after',
      '\nExample:\n  $ tributary campaign create --account 1 --name "Partner programme" --commission 20%',
    )
    .action((options: CreateOptions) => withDatabase(({ database }) => create(database, options)))
}

/** Never null: commander treats a null value as a missing option. */
const months = (text: string): number | 'forever' => (text === 'forever' ? text : wholeNumber(text))

async function create(database: Parameters<typeof createCampaign>[0], options: CreateOptions): Promise<void> {
  await accountSlug(database, options.account)
  const details = {
    name: options.name,
    slug: options.slug ?? slugFrom(options.name, 'campaign'),
    program_type: options.programType,
    visibility: options.visibility,
    payout_currency: options.payoutCurrency,
    attribution_model: options.attributionModel,
    attribution_window_days: options.attributionWindowDays,
    hold_days: options.holdDays,
    minimum_payout_minor: options.minimumPayoutMinor,
    open_enrollment: options.openEnrollment ?? false,
    destination_url: options.destinationUrl ?? null,
  }
  const terms = {
    rewards: rewardsOf(options.programType, {
      ...options,
      recurringMonths: options.recurring === 'forever' ? null : options.recurring,
    }),
    reviewsReferrals: options.reviewReferrals ?? false,
    looksBack: options.lookBack,
  }
  const campaign = await auditedCommand(
    database,
    options.account,
    tx => createCampaign(tx, options.account, details, terms),
    ({ id }) => ({
      action: 'campaign.create',
      subjectId: id,
      details: { ...details, commission: options.commission },
    }),
  )
  if (options.json) printJson(campaign)
  else printLine(`Created campaign ${campaign.id} (${campaign.slug}), commission ${options.commission}.`)
}
