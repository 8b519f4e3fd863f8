/** Protects the ledger as a whole (row 12): after any sequence of events it equals a simple model, and every invariant holds. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { setRate } from '../../src/fx/set-rate.ts'
import { buildAccount, buildAffiliate } from '../factories.ts'
import { createDatabase, type TestDatabase } from '../harness.ts'
import { type ModelRule, RATES } from './model.ts'
import { flat, openCampaign, percent } from './scene.ts'
import { Walk } from './walk.ts'

/** Raise the steps to search for longer; a seed that was printed walks the same way again. */
const STEPS = Number(process.env.TEST_STEPS ?? 250)
const SEED = Number(process.env.TEST_SEED ?? 12)
const CURRENCIES = ['USD', 'JPY', 'KWD']

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
  for (const [pair, rate] of Object.entries(RATES)) {
    const [from = '', to = ''] = pair.split('/')
    await setRate(database.db, { from, to, rate, day: '2020-01-01' })
  }
})
afterAll(() => database.drop())

const shapes: { payoutCurrency: number; holdDays: number; reviews: boolean; rules: ModelRule[] }[] = [
  {
    payoutCurrency: 0,
    holdDays: 30,
    reviews: false,
    rules: [{ beneficiary: 'affiliate', basisPoints: 1777 }],
  },
  { payoutCurrency: 1, holdDays: 0, reviews: false, rules: [{ beneficiary: 'affiliate', flat: 333 }] },
  {
    payoutCurrency: 2,
    holdDays: 14,
    reviews: true,
    rules: [
      { beneficiary: 'referrer', basisPoints: 1250 },
      { beneficiary: 'referee', basisPoints: 333 },
    ],
  },
]

async function startWalk(seed: number, currencies: string[]): Promise<Walk> {
  const { id: accountId } = await buildAccount(database)
  const campaigns = []
  for (const { payoutCurrency: index, holdDays, reviews, rules } of shapes) {
    const payoutCurrency = currencies[index % currencies.length] as string
    const campaign = await openCampaign(database, accountId, {
      program_type: rules.length > 1 ? 'referral' : 'affiliate',
      payout_currency: payoutCurrency,
      hold_days: holdDays,
      reviewsReferrals: reviews,
      rewards: rules.map(({ beneficiary, basisPoints, flat: amount }) =>
        basisPoints === undefined
          ? flat(amount as number, payoutCurrency, { beneficiary })
          : percent(basisPoints, { beneficiary }),
      ),
    })
    const affiliate = await buildAffiliate(database, accountId, campaign.id)
    await database.owner.query(`UPDATE affiliates SET status = 'approved' WHERE id = $1`, [affiliate.id])
    campaigns.push({
      id: campaign.id,
      affiliateId: affiliate.id,
      token: affiliate.token,
      payoutCurrency,
      holdDays,
      reviews,
      rules,
    })
  }
  return new Walk(database, seed, accountId, campaigns, currencies)
}

it.each([
  ['one currency', ['USD']],
  ['three currencies', CURRENCIES],
])(`a walk of ${STEPS} steps in %s, seed ${SEED}`, async (_what, currencies) => {
  const walk = await startWalk(SEED, currencies)
  const done: string[] = []
  for (let step = 0; step < STEPS; step++) {
    done.push(await walk.step())
    await walk.compare().catch(error => {
      throw new Error(`seed ${SEED}, step ${step} (${done.at(-1)}): ${error.message}`, { cause: error })
    })
  }
  // A walk that hardly did anything would prove nothing.
  expect(new Set(done).size).toBe(Object.keys(walk.steps).length)
})
