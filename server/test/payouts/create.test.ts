/** A payout is exactly its preview, or it is not created at all. */
import type { Campaign } from '@tributary/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { buildAccount } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { countRows, openCampaign } from '../ledger/scene.ts'
import { create, earnFor, markFailed, owe, owed, preview, show, untilAfter, written } from './ground.ts'

const scene = useSoundScene()
const open = (terms: Parameters<typeof openCampaign>[2] = {}) =>
  openCampaign(scene.database, scene.account.id, terms)
const everything = () => written(scene, scene.account.id)

let campaign: Campaign
beforeEach(async () => {
  campaign = await open({ minimum_payout_minor: 1000 })
})

/** The entries that a payout's items are made of, by affiliate. */
async function pinned(payoutId: number): Promise<[number, number[]][]> {
  const { rows } = await scene.database.owner.query(
    `SELECT i.affiliate_id::integer AS affiliate, array_agg(n.commission_id::integer ORDER BY n.commission_id) AS entries
       FROM payout_items i JOIN pinned_commissions n ON n.payout_item_id = i.id AND NOT n.released
      WHERE i.payout_id = $1 GROUP BY 1 ORDER BY 1`,
    [payoutId],
  )
  return rows.map(({ affiliate, entries }) => [affiliate, entries])
}

describe('a payout', () => {
  it('holds what its preview showed, entry for entry', async () => {
    const [first, second] = [
      await owed(scene, campaign, []),
      await owed(scene, campaign, [], { name: 'Zoë' }),
    ]
    const entries = [
      await owe(scene, campaign, first, 1500),
      await owe(scene, campaign, first, -100),
      await owe(scene, campaign, second, 1000),
    ].map(({ id }) => id)
    const poor = await owed(scene, campaign, [999])
    const dryRun = await preview(scene, campaign)
    const made = await create(scene, campaign, { digest: dryRun.digest })
    expect(made).toEqual({
      id: expect.any(Number),
      cutOff: expect.any(String),
      items: 2,
      total_minor: 2400,
      digest: dryRun.digest,
      excluded: { below_minimum: 1 },
    })

    const shown = await show(scene, made.id)
    expect(shown).toMatchObject({
      campaign_id: campaign.id,
      rail: 'manual',
      status: 'pending',
      currency: 'USD',
      total_minor: 2400,
      item_count: 2,
      digest: dryRun.digest,
      finished_at: null,
      submissions: [],
    })
    expect(shown.items).toEqual(
      [first, second].map((affiliate, index) => ({
        id: expect.any(Number),
        affiliate_id: affiliate.id,
        email: affiliate.email,
        name: affiliate.name,
        amount_minor: [1400, 1000][index],
        currency: 'USD',
        status: 'pending',
        payout_address: affiliate.paypal_email,
        reason: null,
        reference: null,
        external_id: null,
        settled_at: null,
      })),
    )
    expect(await pinned(made.id)).toEqual([
      [first.id, entries.slice(0, 2)],
      [second.id, entries.slice(2)],
    ])
    const { status, body } = await scene.api.get(`/payouts/${made.id}`)
    expect([status, body.items.map(({ amount_minor }: { amount_minor: number }) => amount_minor)]).toEqual([
      200,
      [1400, 1000],
    ])
    expect((await preview(scene, campaign)).rows.map(({ affiliate_id }) => affiliate_id)).toEqual([poor.id])
  })

  it('moves no money and sends no event yet', async () => {
    const affiliate = await owed(scene, campaign, [5000])
    const events = await countRows(scene, 'events', 'account_id = $1', [scene.account.id])
    await create(scene, campaign)
    expect(await balancesOf(scene.database.db, scene.account.id, affiliate.id)).toMatchObject([
      { approved_minor: 5000, paid_out_minor: 0, balance_minor: 5000 },
    ])
    expect(await countRows(scene, 'events', 'account_id = $1', [scene.account.id])).toBe(events)
  })

  it('takes what came until the cut-off, and leaves the rest to the next one', async () => {
    const affiliate = await owed(scene, campaign, [])
    const { created_at: cutOff } = await owe(scene, campaign, affiliate, 1000)
    await untilAfter(scene, cutOff)
    await owe(scene, campaign, affiliate, 3000)
    const made = await create(scene, campaign, { cutOff })
    expect([made.total_minor, (await show(scene, made.id)).cut_off]).toEqual([1000, cutOff])
    expect((await create(scene, campaign)).total_minor).toBe(3000)
  })

  it('keeps the minimum that it was made with', async () => {
    await owed(scene, campaign, [1000])
    const { id } = await create(scene, campaign)
    await scene.database.owner.query('UPDATE campaigns SET minimum_payout_minor = 2000 WHERE id = $1', [
      campaign.id,
    ])
    const { rows } = await scene.database.owner.query(
      'SELECT minimum_payout_minor::integer AS minimum FROM payouts WHERE id = $1',
      [id],
    )
    expect(rows).toEqual([{ minimum: 1000 }])
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('keeps the addresses that it was made with', async () => {
    const affiliate = await owed(scene, campaign, [1000])
    const { id } = await create(scene, campaign, { rail: 'paypal' })
    await scene.api.patch(`/affiliates/${affiliate.id}`, { paypal_email: 'later@example.com' })
    expect((await show(scene, id)).items).toMatchObject([{ payout_address: affiliate.paypal_email }])
  })
})

describe('is not made, and nothing is written', () => {
  it('when the content has changed since the preview', async () => {
    const affiliate = await owed(scene, campaign, [5000])
    const { digest } = await preview(scene, campaign)
    await owe(scene, campaign, affiliate, 1)
    const before = await everything()
    const { digest: now } = await preview(scene, campaign)
    await expect(create(scene, campaign, { digest })).rejects.toMatchObject({
      code: 'conflict',
      message: `The content has changed since the preview: its digest is now ${now}. Preview it again.`,
    })
    expect(await everything()).toEqual(before)
    expect(await create(scene, campaign, { digest: now })).toMatchObject({ total_minor: 5001 })
  })

  it('when there is nothing to pay, and the message lists the reasons', async () => {
    await owed(scene, campaign, [999])
    await owed(scene, campaign, [1])
    await owed(scene, campaign, [-1])
    const before = await everything()
    await expect(create(scene, campaign)).rejects.toMatchObject({
      code: 'invalid_state',
      message: 'There is nothing to pay: 2 × below_minimum, 1 × negative_balance.',
    })
    expect(await everything()).toEqual(before)
  })

  it('when there are no affiliates', async () => {
    const before = await everything()
    await expect(create(scene, campaign)).rejects.toMatchObject({
      code: 'invalid_state',
      message: 'There is nothing to pay.',
    })
    expect(await everything()).toEqual(before)
  })

  it('when the campaign does not exist, or is of another account', async () => {
    const stranger = { ...scene, account: await buildAccount(scene.database) }
    await owed(scene, campaign, [5000])
    const before = await everything()
    for (const [who, id] of [
      [stranger, campaign.id],
      [scene, 987_654_321],
    ] as const) {
      const refusal = { code: 'not_found', message: 'There is no such campaign.' }
      await expect(create(who, { id })).rejects.toMatchObject(refusal)
      await expect(preview(who, { id })).rejects.toMatchObject(refusal)
    }
    expect(await everything()).toEqual(before)
    expect(await written(scene, stranger.account.id)).toEqual(Array.from({ length: 8 }, () => []))
  })

  it.each(['sepa', 'wise'] as const)('over %s, which is not available yet', async rail => {
    const refusal = {
      code: 'validation_failed',
      message: `rail ${rail} is not available yet; use manual or paypal.`,
    }
    await owed(scene, campaign, [5000])
    const before = await everything()
    await expect(preview(scene, campaign, { rail })).rejects.toMatchObject(refusal)
    await expect(create(scene, campaign, { rail })).rejects.toMatchObject(refusal)
    expect(await everything()).toEqual(before)
    // Clients may filter by it already.
    expect(await scene.api.get(`/payouts?rail=${rail}`)).toMatchObject({ status: 200, body: { data: [] } })
  })

  it.each(['HUF', 'TWD', 'KWD', 'INR'])('when PayPal cannot pay %s exactly', async payout_currency => {
    const foreign = await open({ payout_currency })
    await owed(scene, foreign, [5000])
    const refusal = {
      code: 'validation_failed',
      message: `rail paypal does not pay ${payout_currency} exactly; use the manual rail.`,
    }
    await expect(preview(scene, foreign, { rail: 'paypal' })).rejects.toMatchObject(refusal)
    const before = await everything()
    await expect(create(scene, foreign, { rail: 'paypal' })).rejects.toMatchObject(refusal)
    expect(await everything()).toEqual(before)
    expect(await create(scene, foreign)).toMatchObject({ items: 1, total_minor: 5000 })
  })

  it('when the cut-off is no time', async () => {
    const refused = expect(create(scene, campaign, { cutOff: '31.1.2026' })).rejects
    await refused.toMatchObject({ code: 'validation_failed' })
  })
})

describe('an entry is in one payout', () => {
  it('and not in the next one, until the first has failed', async () => {
    const affiliate = await owed(scene, campaign, [5000])
    const { id } = await create(scene, campaign)
    await expect(create(scene, campaign)).rejects.toMatchObject({ message: 'There is nothing to pay.' })
    await markFailed(scene, id)
    expect(await pinned(id)).toEqual([])
    const again = await create(scene, campaign)
    expect((await pinned(again.id)).map(([who]) => who)).toEqual([affiliate.id])
  })

  it('whatever any program does: the database refuses a second pin', async () => {
    await owed(scene, campaign, [5000])
    const { id } = await create(scene, campaign)
    const insert = `INSERT INTO pinned_commissions (account_id, commission_id, payout_item_id)
      SELECT n.account_id, n.commission_id, n.payout_item_id FROM pinned_commissions n
        JOIN payout_items i ON i.id = n.payout_item_id WHERE i.payout_id = $1`
    await expect(scene.database.owner.query(insert, [id])).rejects.toMatchObject({
      constraint: 'pinned_commissions_once',
    })
  })
})

it('payouts of two campaigns do not touch each other', async () => {
  const yen = await open({ payout_currency: 'JPY' })
  const affiliate = await owed(scene, campaign, [1000])
  await scene.api.post('/affiliates', { email: affiliate.email, campaign_id: yen.id })
  await earnFor(scene, yen, affiliate, 10_000)
  const [dollars, others] = [await create(scene, campaign), await create(scene, yen, { rail: 'paypal' })]
  expect((await show(scene, dollars.id)).items).toMatchObject([{ amount_minor: 1000, currency: 'USD' }])
  expect((await show(scene, others.id)).items).toMatchObject([{ amount_minor: 2000, currency: 'JPY' }])
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
