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
    .description('campaigns of an account')
    .addHelpText(
      'after',
      '\n\nExample:\n  $ tributary campaign create --account 1 --name "Partner programme"',
    )
  campaign
    .command('create')
    .description('open a campaign')
    .requiredOption('--account <id>', 'the account', wholeNumber)
    .requiredOption('--name <text>', 'name of the campaign')
    .option('--slug <text>', 'name of the campaign in URLs (default: made from the name)')
    .addOption(choice('--program-type <type>', 'who promotes', ['affiliate', 'referral']))
    .addOption(choice('--visibility <visibility>', 'whether the portal lists it', ['private', 'public']))
    .option('--payout-currency <code>', 'ISO-4217 code of what is paid out', 'USD')
    .addOption(choice('--attribution-model <model>', 'which click wins', ['last_click', 'first_click']))
    .option('--attribution-window-days <days>', 'how long a click counts', wholeNumber, 60)
    .option('--hold-days <days>', 'how long a commission waits for refunds', wholeNumber, 30)
    .option('--minimum-payout-minor <amount>', 'smallest payout, in minor units', wholeNumber, 5000)
    .option(
      '--open-enrollment',
      'let people join by themselves; a public campaign without it is by invitation',
    )
    .option('--destination-url <url>', 'where links lead')
    .option('--commission <rule>', 'a percentage, or minor units with a currency ("500 USD")', '20%')
    .option(
      '--recurring <months>',
      'later sales earn too: a number of months, 0 for the first sale alone, or "forever"',
      months,
      'forever',
    )
    .option('--referee-reward <rule>', 'in a referral campaign, what the new customer gets')
    .option('--credit', 'in a referral campaign, rewards are credits and not money')
    .option('--review-referrals', 'every referral waits for review')
    .option('--no-look-back', 'approving an affiliate credits no conversions from while it was pending')
    .option('--json', 'print the campaign as the API shows it')
    .addHelpText(
      'after',
      '\nExample:\n  $ tributary campaign create --account 1 --name "Partner programme" --commission 20%',
    )
    .action((options: CreateOptions) => withDatabase(({ database }) => create(database, options)))
}

/** A parser must not give null, which the command line takes for an option without a value. */
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
  else printLine(`Campaign ${campaign.id} (${campaign.slug}) pays ${options.commission}.`)
}
