import { setRate } from '../../src/money/fx/set-rate.ts'
import { updateAffiliate } from '../../src/programme/affiliates/update-affiliate.ts'
import { buildAccount, buildAffiliate, unique } from '../factories.ts'
import type { TestDatabase } from '../harness.ts'
import { type ModelAffiliate, type ModelCampaign, RATES } from './model.ts'
import { flat, openCampaign, percent } from './scene.ts'
import { Walk } from './walk.ts'

const shapes: (Omit<ModelCampaign, 'id' | 'payoutCurrency' | 'isReferral'> & { payoutCurrency: number })[] = [
  {
    payoutCurrency: 0,
    holdDays: 30,
    reviews: false,
    minimum: 2000n,
    rules: [{ beneficiary: 'affiliate', basisPoints: 1777 }],
  },
  {
    payoutCurrency: 1,
    holdDays: 0,
    reviews: false,
    // What a single sale earns is just enough.
    minimum: 333n,
    rules: [{ beneficiary: 'affiliate', flat: 333 }],
  },
  {
    payoutCurrency: 2,
    holdDays: 14,
    reviews: true,
    minimum: 1000n,
    rules: [
      { beneficiary: 'referee', basisPoints: 333 },
      { beneficiary: 'referrer', basisPoints: 1250 },
    ],
  },
  {
    payoutCurrency: 0,
    holdDays: 0,
    reviews: false,
    minimum: 0n,
    rules: [
      { beneficiary: 'referee', flat: 100 },
      { beneficiary: 'referrer', basisPoints: 1000, isCredit: true },
    ],
  },
]

async function openShape(
  database: TestDatabase,
  accountId: number,
  { payoutCurrency: index, ...shape }: (typeof shapes)[number],
  currencies: string[],
): Promise<ModelCampaign> {
  const payoutCurrency = currencies[index % currencies.length] as string
  const isReferral = shape.rules.length > 1
  const { id } = await openCampaign(database, accountId, {
    program_type: isReferral ? 'referral' : 'affiliate',
    payout_currency: payoutCurrency,
    hold_days: shape.holdDays,
    minimum_payout_minor: Number(shape.minimum),
    reviewsReferrals: shape.reviews,
    rewards: shape.rules.map(({ beneficiary, basisPoints, flat: amount, isCredit }) => {
      const overrides = { beneficiary, entryType: isCredit ? ('credit' as const) : ('earned' as const) }
      return basisPoints === undefined
        ? flat(amount as number, payoutCurrency, overrides)
        : percent(basisPoints, overrides)
    }),
  })
  return { id, payoutCurrency, isReferral, ...shape }
}

/** Takes part in every campaign, so that what one owes never mixes with another. */
async function enrolEverywhere(
  database: TestDatabase,
  accountId: number,
  campaigns: ModelCampaign[],
  hasPayPal: boolean,
): Promise<ModelAffiliate> {
  const email = `${unique('affiliate')}@example.com`
  const details = { email, paypal_email: hasPayPal ? email : null }
  let token = ''
  let id = 0
  for (const campaign of campaigns)
    ({ id, token } = await buildAffiliate(database, accountId, campaign.id, details))
  await updateAffiliate(database.db, accountId, id, { status: 'approved' })
  return { id, token, status: 'approved', hasPayPal }
}

/** Without them a sale in another currency would wait. */
export async function setRates({ db }: TestDatabase): Promise<void> {
  for (const [pair, rate] of Object.entries(RATES)) {
    const [from = '', to = ''] = pair.split('/')
    await setRate(db, { from, to, rate, day: '2020-01-01' })
  }
}

/** A new account with campaigns of every kind, and three affiliates of whom one cannot be reached by PayPal. */
export async function startWalk(database: TestDatabase, seed: number, currencies: string[]): Promise<Walk> {
  const { id: accountId } = await buildAccount(database)
  const campaigns: ModelCampaign[] = []
  for (const shape of shapes) campaigns.push(await openShape(database, accountId, shape, currencies))
  const affiliates: ModelAffiliate[] = []
  for (const hasPayPal of [true, false, true])
    affiliates.push(await enrolEverywhere(database, accountId, campaigns, hasPayPal))
  return new Walk(database, seed, { accountId, campaigns, affiliates, currencies })
}
