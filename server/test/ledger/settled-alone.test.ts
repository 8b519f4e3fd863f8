/** Protects both sides of a clawback that a person decided apart from its entry: the pair never leaves a debt or a gift behind. */
import type { Commission } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { releaseHolds } from '../../src/money/ledger/holds.ts'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { markPayments } from '../../src/money/payouts/mark-payments.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { owe } from '../payouts/ground.ts'
import {
  countRows,
  earnOne,
  entriesOf,
  pay,
  percent,
  refund,
  short,
  type Terms,
  useRate,
  winCustomer,
} from './scene.ts'

const scene = useOwnScene()
const LONG_AGO = '2026-01-01T00:00:00.000Z'

/** A pending commission of 2000 whose sale was refunded by half: its clawback of 1000 is pending too. */
async function pendingPair(terms: Terms = {}, extra: object = { occurred_at: LONG_AGO }) {
  const won = await winCustomer(scene, { hold_days: 30, ...terms })
  const { external_id, entry } = await earnOne(scene, won, 10_000, extra)
  const giveBack = async (amount_minor?: number): Promise<Commission[]> =>
    (await refund(scene.api, { external_id: unique('r'), sale_external_id: external_id, amount_minor })).body
      .commissions
  const clawback = (await giveBack(5000))[0] as Commission
  const patch = async (id: number, status: 'approved' | 'void') =>
    expect((await scene.api.patch(`/commissions/${id}`, { status })).status).toBe(200)
  return {
    won,
    entry,
    clawback,
    giveBack,
    approveClawback: () => patch(clawback.id, 'approved'),
    forgive: () => patch(clawback.id, 'void'),
    approveEntry: () => patch(entry.id, 'approved'),
    voidEntry: () => patch(entry.id, 'void'),
    reject: () => reviewReferral(scene.database.db, scene.account.id, won.referralId, 'rejected'),
    ledger: async () => (await entriesOf(scene, won.referralId)).map(short),
    balance: async () => (await balancesOf(scene.database.db, scene.account.id, won.affiliate.id))[0],
  }
}

const balanced = [
  ['earned', 2000, 'void'],
  ['clawback', -1000, 'approved'],
  ['adjustment', 1000, 'approved'],
]

describe('a clawback that was approved alone is balanced by one adjustment', () => {
  it('when its entry is voided', async () => {
    const { approveClawback, voidEntry, ledger, balance, won, entry } = await pendingPair()
    await approveClawback()
    await voidEntry()
    expect(await ledger()).toEqual(balanced)
    expect(await balance()).toMatchObject({ balance_minor: 0, approved_minor: 0, pending_minor: 0 })
    const adjustment = (await entriesOf(scene, won.referralId)).at(-1) as Commission
    expect(adjustment).toMatchObject({
      currency: 'USD',
      description: `Reverses the clawback of voided commission ${entry.id}`,
    })
    const event = ['commission.created', adjustment.id]
    expect(await countRows(scene, 'events', 'kind = $1 AND subject_id = $2', event)).toBe(1)
  })

  it('when its referral is rejected: nothing stays pending', async () => {
    const { approveClawback, reject, ledger } = await pendingPair()
    await approveClawback()
    await reject()
    expect(await ledger()).toEqual(balanced)
  })

  it('when its referral is rejected after a further refund, which is void with the entry', async () => {
    const { approveClawback, giveBack, reject, ledger } = await pendingPair()
    await approveClawback()
    await giveBack(2500)
    await reject()
    expect(await ledger()).toEqual([...balanced.slice(0, 2), ['clawback', -500, 'void'], balanced[2]])
  })

  it('once, however many of them there are', async () => {
    const { approveClawback, giveBack, voidEntry, ledger } = await pendingPair()
    await approveClawback()
    const [second] = await giveBack(2500)
    await scene.api.patch(`/commissions/${second?.id}`, { status: 'approved' })
    await voidEntry()
    expect((await ledger()).slice(3)).toEqual([['adjustment', 1500, 'approved']])
  })

  it('in the payout currency too, at the amounts that were taken', async () => {
    await useRate(scene, 'EUR', 'USD', '1.237')
    const { approveClawback, voidEntry, won } = await pendingPair({}, { currency: 'EUR' })
    await approveClawback()
    await voidEntry()
    const [, clawback, adjustment] = await entriesOf(scene, won.referralId)
    expect(adjustment).toMatchObject({
      currency: 'EUR',
      amount_minor: -(clawback?.amount_minor as number),
      payout_amount_minor: -(clawback?.payout_amount_minor as number),
    })
  })

  it('where it was paid with a payout meanwhile, the next payout returns it', async () => {
    const { won, approveClawback, voidEntry, balance } = await pendingPair()
    await approveClawback()
    await owe(scene, won.campaign, won.affiliate, 5000)
    expect(await pay(scene, won.campaign.id)).toEqual({ [won.affiliate.id]: 4000 })
    await voidEntry()
    expect(await balance()).toMatchObject({ balance_minor: 1000, paid_out_minor: 4000 })
    expect(await pay(scene, won.campaign.id)).toEqual({ [won.affiliate.id]: 1000 })
    expect(await balance()).toMatchObject({ balance_minor: 0 })
  })

  it('where it is in a payout that then fails, both are in the next one', async () => {
    const { won, approveClawback, voidEntry } = await pendingPair()
    await approveClawback()
    await owe(scene, won.campaign, won.affiliate, 5000)
    const { db } = scene.database
    const { id } = await createPayout(db, scene.account.id, { campaignId: won.campaign.id, rail: 'manual' })
    await voidEntry()
    await markPayments(db, scene.account.id, id, { outcome: 'failed', reason: 'No', reference: null })
    expect(await pay(scene, won.campaign.id)).toEqual({ [won.affiliate.id]: 5000 })
  })

  it('credit stays apart from money', async () => {
    const credit = { rewards: [percent(2000, { entryType: 'credit', beneficiary: 'referrer' as const })] }
    const { won, approveClawback, voidEntry } = await pendingPair({ ...credit, program_type: 'referral' })
    await approveClawback()
    await voidEntry()
    await owe(scene, won.campaign, won.affiliate, 50)
    expect(await pay(scene, won.campaign.id)).toEqual({ [won.affiliate.id]: 50 })
  })

  it.each(['approve the entry', 'let its hold pass'])(
    '%s: it nets against its entry, and nothing is added',
    async how => {
      const { approveClawback, approveEntry, ledger } = await pendingPair()
      await approveClawback()
      await (how === 'approve the entry' ? approveEntry() : releaseHolds(scene.database.db))
      expect(await ledger()).toEqual([
        ['earned', 2000, 'approved'],
        ['clawback', -1000, 'approved'],
      ])
    },
  )

  it('the rest is refunded: the second clawback waits with the entry, and in the end nothing is owed', async () => {
    const { approveClawback, giveBack, ledger, balance } = await pendingPair()
    await approveClawback()
    await giveBack()
    expect((await ledger()).slice(2)).toEqual([['clawback', -1000, 'pending']])
    await releaseHolds(scene.database.db)
    expect(await balance()).toMatchObject({ balance_minor: 0, pending_minor: 0, approved_minor: 0 })
  })
})

describe('a clawback that was voided alone is forgiven', () => {
  it('once: a further refund takes its own share and not the forgiven one', async () => {
    const { forgive, giveBack, ledger } = await pendingPair()
    await forgive()
    await giveBack(2500)
    expect(await ledger()).toEqual([
      ['earned', 2000, 'pending'],
      ['clawback', -1000, 'void'],
      ['clawback', -500, 'pending'],
    ])
  })

  it('and no more than that: when the rest is refunded, exactly what was forgiven is left', async () => {
    const { forgive, giveBack, balance } = await pendingPair()
    await forgive()
    await giveBack()
    await releaseHolds(scene.database.db)
    expect(await balance()).toMatchObject({ balance_minor: 1000, approved_minor: 1000 })
  })

  it('but not where the entry is voided: nothing is left, and nothing is added', async () => {
    const { forgive, voidEntry, ledger } = await pendingPair()
    await forgive()
    await voidEntry()
    expect(await ledger()).toEqual([
      ['earned', 2000, 'void'],
      ['clawback', -1000, 'void'],
    ])
  })

  it.each(['pending', 'approved'])(
    'and not where the referral is rejected, the entry being %s: nothing is owed',
    async status => {
      const { forgive, approveEntry, giveBack, reject, balance, ledger } = await pendingPair()
      await forgive()
      await giveBack(2500)
      if (status === 'approved') await approveEntry()
      await reject()
      expect(await balance()).toEqual(
        status === 'approved' ? expect.objectContaining({ balance_minor: 0, pending_minor: 0 }) : undefined,
      )
      expect((await ledger()).filter(([, , left]) => left === 'pending')).toEqual([])
    },
  )
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
