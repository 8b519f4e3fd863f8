/** Protects a clawback from parting from its entry (row 23): a refund is raced with everything that moves the commission. */
import type { Commission } from '@tributary/contract'
import { expect, it } from 'vitest'
import { reportMeasurement, seed as SEED, sized } from '../../../testing/size.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { reviewCommission } from '../../src/money/commissions/review-commission.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { releaseHolds } from '../../src/money/ledger/holds.ts'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { owe } from '../payouts/ground.ts'
import { earnOne, entriesOf, refund, type Won, winCustomer } from './scene.ts'
import { Chance } from './seeded-random.ts'

const ROUNDS = sized(25, 1500)
const LONG_AGO = '2026-01-01T00:00:00.000Z'
const scene = useSoundScene()
const chance = new Chance(SEED)

/** A commission of 2000 that is pending although its hold has passed, beside 500 that are payable. */
async function pendingEntry(): Promise<{ won: Won; entry: Commission; external_id: string }> {
  const won = await winCustomer(scene, { hold_days: 1 })
  const { external_id, entry } = await earnOne(scene, won, 10_000, { occurred_at: LONG_AGO })
  await owe(scene, won.campaign, won.affiliate, 500)
  return { won, entry, external_id }
}

const movesOf = ({ won, entry }: { won: Won; entry: Commission }) => {
  const { db } = scene.database
  return {
    approve: () => reviewCommission(db, scene.account.id, entry.id, 'approved'),
    void: () => reviewCommission(db, scene.account.id, entry.id, 'void'),
    reject: () => reviewReferral(db, scene.account.id, won.referralId, 'rejected'),
    release: () => releaseHolds(db),
    pay: () => createPayout(db, scene.account.id, { campaignId: won.campaign.id, rail: 'manual' }),
  }
}

/** What the affiliate must be owed, by plain arithmetic: the commission less the refunds, unless it is void or its referral rejected. */
const owedFor = (entry: Commission, isRejected: boolean, refunded: number) =>
  500 + (entry.status === 'void' || isRejected ? 0 : 2000 - (2000 * refunded) / 10_000)

it(
  `${ROUNDS} rounds of partial refunds beside reviews, rejections, releases and payouts (seed ${SEED})`,
  async () => {
    let parted = 0
    let unequal = 0
    let raced = 0
    for (let round = 0; round < ROUNDS; round++) {
      const pending = await pendingEntry()
      const { won, entry, external_id } = pending
      const moves = movesOf(pending)
      const chosen = chance.some(Object.keys(moves) as (keyof typeof moves)[])
      const refunds = Array.from({ length: 1 + chance.below(2) }, () => ({
        external_id: unique('refund'),
        sale_external_id: external_id,
        amount_minor: 2500,
      }))
      const [answers, results] = await Promise.all([
        Promise.all(refunds.map(body => refund(scene.api, body))),
        Promise.allSettled(chosen.map(name => moves[name]())),
      ])
      expect(answers.map(({ status }) => status)).toEqual(refunds.map(() => 201))
      raced += results.filter(({ status }) => status === 'fulfilled').length
      const entries = await entriesOf(scene, won.referralId)
      const now = entries.find(({ id }) => id === entry.id) as Commission
      const isRejected = (await scene.api.get(`/referrals/${won.referralId}`)).body.status === 'rejected'
      const clawbacks = entries.filter(({ entry_type }) => entry_type === 'clawback')
      const isTogether = ({ status }: Commission) =>
        (now.status === 'paid' ? 'approved' : now.status) === status
      if (!clawbacks.every(isTogether)) parted++
      const [balance] = await balancesOf(scene.database.db, scene.account.id, won.affiliate.id)
      if (balance?.balance_minor !== owedFor(now, isRejected, 2500 * refunds.length)) unequal++
    }
    const broken = await brokenInvariants(scene.database)
    const figure = (what: string, value: number) =>
      reportMeasurement({ row: 23, what, value, bar: '0', holds: value === 0 })
    figure(
      `clawbacks apart from their entry in ${ROUNDS} rounds, ${raced} moves that won, seed ${SEED}`,
      parted,
    )
    figure('balances unlike the model', unequal)
    figure('broken invariants', broken.length)
    expect({ parted, unequal, broken }).toEqual({ parted: 0, unequal: 0, broken: [] })
  },
  sized(120_000, 3_600_000),
)
