/** Protects money that a person pays: what they say of each item is booked once, and nothing else is. */
import type { Affiliate, Campaign, Commission } from '@tributary/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { setPayPalCredentials } from '../../src/money/payouts/rail-credentials.ts'
import { submitPayout } from '../../src/money/payouts/submit-payout.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { openCampaign } from '../ledger/scene.ts'
import {
  cancelPayout,
  create,
  exported,
  markFailed,
  markPaid,
  owed,
  preview,
  show,
  statuses,
  written,
} from './ground.ts'

const scene = useSoundScene()
const everything = () => written(scene, scene.account.id)
const cancel = (id: number) => cancelPayout(scene.database.db, scene.account.id, id)

let campaign: Campaign
let affiliates: Affiliate[]
let payoutId: number
let itemIds: [number, number, number]

beforeEach(async () => {
  campaign = await openCampaign(scene.database, scene.account.id)
  affiliates = [
    await owed(scene, campaign, [1000, 500]),
    await owed(scene, campaign, [2000]),
    await owed(scene, campaign, [4000]),
  ]
  payoutId = (await create(scene, campaign)).id
  itemIds = (await show(scene, payoutId)).items.map(({ id }) => id) as typeof itemIds
})

const balances = () =>
  Promise.all(
    affiliates.map(async ({ id }) => {
      const [balance] = await balancesOf(scene.database.db, scene.account.id, id)
      return [balance?.balance_minor, balance?.approved_minor, balance?.paid_out_minor]
    }),
  )

/** The entries of the campaign as the API lists them, oldest first. */
const entries = async (): Promise<Commission[]> =>
  (await scene.api.get(`/commissions?campaign_id=${campaign.id}&limit=100`)).body.data.toReversed()

/** The events of this campaign and this payout, in order. */
async function eventsOf(
  kind: 'commission.created' | 'payout.paid',
): Promise<{ type: string; data: Commission }[]> {
  const { rows } = await scene.database.owner.query(
    'SELECT body FROM events WHERE account_id = $1 AND kind = $2 ORDER BY id',
    [scene.account.id, kind],
  )
  return rows.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.campaign_id === campaign.id)
}

describe('paying', () => {
  it('all of it ends the payout, and nothing is owed any more', async () => {
    expect(await statuses(scene, payoutId)).toEqual(['pending', 'pending', 'pending', 'pending'])
    await markPaid(scene, payoutId, undefined, 'SEPA 2026-11-15')
    expect(await statuses(scene, payoutId)).toEqual(['paid', 'paid', 'paid', 'paid'])
    expect(await balances()).toEqual([
      [0, 0, 1500],
      [0, 0, 2000],
      [0, 0, 4000],
    ])
    const shown = await show(scene, payoutId)
    expect(shown.finished_at).toEqual(expect.any(String))
    for (const item of shown.items)
      expect(item).toMatchObject({
        status: 'paid',
        reference: 'SEPA 2026-11-15',
        reason: null,
        settled_at: expect.any(String),
      })
    expect((await preview(scene, campaign)).rows).toEqual([])
  })

  it('makes the commissions paid, and writes one payout entry for each item', async () => {
    await markPaid(scene, payoutId)
    const all = await entries()
    expect(all.every(({ status }) => status === 'paid')).toBe(true)
    expect(all.filter(({ entry_type }) => entry_type === 'payout')).toMatchObject(
      [-1500, -2000, -4000].map((amount_minor, index) => ({
        affiliate_id: affiliates[index]?.id,
        amount_minor,
        payout_amount_minor: amount_minor,
        currency: 'USD',
        beneficiary: 'affiliate',
        referral_id: null,
        hold_until: null,
        description: `Payout ${payoutId}`,
      })),
    )
  })

  it('sends an event for each payout entry, and one for the payout as the API returns it', async () => {
    await markPaid(scene, payoutId, [itemIds[0]])
    expect(await eventsOf('payout.paid')).toEqual([])
    await markPaid(scene, payoutId)
    const written = (await entries()).filter(({ entry_type }) => entry_type === 'payout')
    const received = (await eventsOf('commission.created')).filter(({ data }) => data.entry_type === 'payout')
    expect(received.map(({ data }) => data)).toEqual(written)
    expect((await eventsOf('payout.paid')).map(({ data }) => data)).toEqual([
      (await scene.api.get(`/payouts/${payoutId}`)).body,
    ])
  })

  it('a referral campaign pays its referrers', async () => {
    const referral = await openCampaign(scene.database, scene.account.id, {
      program_type: 'referral',
      rewards: [],
    })
    await owed(scene, referral, [700])
    const { id } = await create(scene, referral)
    await markPaid(scene, id)
    const { body } = await scene.api.get(`/commissions?campaign_id=${referral.id}&entry_type=payout`)
    expect(body.data).toMatchObject([{ beneficiary: 'referrer', amount_minor: -700 }])
  })
})

describe('item by item', () => {
  it('some are paid, some fail with a reason, and the rest is paid', async () => {
    const [first, , third] = itemIds
    await markPaid(scene, payoutId, [first])
    expect(await statuses(scene, payoutId)).toEqual(['processing', 'paid', 'processing', 'processing'])
    await markFailed(scene, payoutId, [third], 'Account closed')
    expect(await statuses(scene, payoutId)).toEqual(['processing', 'paid', 'processing', 'failed'])
    await markPaid(scene, payoutId)
    expect(await statuses(scene, payoutId)).toEqual(['partially_paid', 'paid', 'paid', 'failed'])
    expect((await show(scene, payoutId)).items.map(({ reason }) => reason)).toEqual([
      null,
      null,
      'Account closed',
    ])
    expect(await balances()).toEqual([
      [0, 0, 1500],
      [0, 0, 2000],
      [4000, 4000, 0],
    ])
    expect(await eventsOf('payout.paid')).toMatchObject([
      { data: { id: payoutId, status: 'partially_paid' } },
    ])
    expect((await preview(scene, campaign)).rows).toMatchObject([
      { affiliate_id: affiliates[2]?.id, payable_minor: 4000, reason: null },
    ])
  })

  it('all fail: the payout fails, no event is sent, and everything is in the next one', async () => {
    await markFailed(scene, payoutId)
    expect(await statuses(scene, payoutId)).toEqual(['failed', 'failed', 'failed', 'failed'])
    expect(await eventsOf('payout.paid')).toEqual([])
    expect((await create(scene, campaign)).total_minor).toBe(7500)
  })

  it.each<[string, () => number[]]>([
    ['no item at all', () => [987_654_321]],
    ['known ones beside an unknown one', () => [...itemIds, 987_654_321]],
  ])('%s: refused by name, and nothing is booked', async (_what, ids) => {
    const before = await everything()
    await expect(markPaid(scene, payoutId, ids())).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringMatching(
        /^These items of payout \d+ can't be marked manually: 987654321\. They don't exist/,
      ),
    })
    expect(await everything()).toEqual(before)
  })

  it('items of another payout, or decided before, are refused', async () => {
    await markPaid(scene, payoutId, [itemIds[0]])
    await owed(scene, campaign, [50])
    const other = await create(scene, campaign)
    const theirs = (await show(scene, other.id)).items.map(({ id }) => id)
    const before = await everything()
    for (const [decide, ids] of [
      [markPaid, theirs],
      [markPaid, [itemIds[0]]],
      [markFailed, [itemIds[0], itemIds[1]]],
    ] as const)
      await expect(decide(scene, payoutId, [...ids])).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await everything()).toEqual(before)
  })

  it('an item named twice is paid once', async () => {
    await markPaid(scene, payoutId, [itemIds[1], itemIds[1]])
    expect((await balances())[1]).toEqual([0, 0, 2000])
  })

  it.each(['', 'x'.repeat(1001)])('a note of %# characters too few or too many is refused', async text => {
    const before = await everything()
    for (const refused of [
      markPaid(scene, payoutId, undefined, text),
      markFailed(scene, payoutId, undefined, text),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'validation_failed' })
    expect(await everything()).toEqual(before)
  })
})

describe('what has ended stays as it is', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['paid', () => markPaid(scene, payoutId)],
    ['failed', () => markFailed(scene, payoutId)],
    ['canceled', () => cancel(payoutId)],
    [
      'partially_paid',
      async () => {
        await markFailed(scene, payoutId, [itemIds[0]])
        await markPaid(scene, payoutId)
      },
    ],
  ])('a payout that is %s cannot be paid, failed, exported or canceled', async (status, end) => {
    await end()
    const before = await everything()
    const refusal = {
      code: 'invalid_state',
      message: expect.stringMatching(new RegExp(`^The payout is ${status}[.;]`)),
    }
    await expect(markPaid(scene, payoutId)).rejects.toMatchObject(refusal)
    await expect(markPaid(scene, payoutId, [itemIds[0]])).rejects.toMatchObject(refusal)
    await expect(markFailed(scene, payoutId)).rejects.toMatchObject(refusal)
    await expect(exported(scene, payoutId, 'bank')).rejects.toMatchObject(refusal)
    await expect(cancel(payoutId)).rejects.toMatchObject(refusal)
    expect(await everything()).toEqual(before)
  })

  it('of several people who pay it at once, each item is booked once', async () => {
    const answers = await Promise.allSettled([1, 2, 3, 4].map(() => markPaid(scene, payoutId)))
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    expect((await entries()).filter(({ entry_type }) => entry_type === 'payout')).toHaveLength(3)
    expect(await eventsOf('payout.paid')).toHaveLength(1)
  })
})

describe('cancelling', () => {
  it('gives back everything while nothing has been sent', async () => {
    await cancel(payoutId)
    expect(await statuses(scene, payoutId)).toEqual(['canceled', 'canceled', 'canceled', 'canceled'])
    expect(await eventsOf('payout.paid')).toEqual([])
    expect(await create(scene, campaign)).toMatchObject({ items: 3, total_minor: 7500 })
  })

  it.each<[string, () => Promise<unknown>]>([
    ['its file was written', () => exported(scene, payoutId, 'bank')],
    ['one of its items was paid', () => markPaid(scene, payoutId, [itemIds[0]])],
  ])('is refused once %s', async (_what, send) => {
    await send()
    const before = await everything()
    await expect(cancel(payoutId)).rejects.toMatchObject({
      code: 'invalid_state',
      message:
        'The payout is processing; only a pending payout can be canceled. Mark its unpaid items failed instead.',
    })
    expect(await everything()).toEqual(before)
  })

  it('says of one that has ended only that it has', async () => {
    await cancel(payoutId)
    await expect(cancel(payoutId)).rejects.toMatchObject({
      code: 'invalid_state',
      message: 'The payout is canceled; only a pending payout can be canceled.',
    })
  })
})

it('a manual payout is never given to PayPal, though the account could', async () => {
  const { db } = scene.database
  const { secrets } = scene.app.services
  await setPayPalCredentials(db, secrets, scene.account.id, { clientId: 'AZ', clientSecret: 'EK' })
  const before = await everything()
  await expect(submitPayout(db, secrets, scene.account.id, payoutId)).rejects.toMatchObject({
    code: 'invalid_state',
  })
  expect(await everything()).toEqual(before)
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
