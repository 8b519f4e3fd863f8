/** Test payouts: test commissions played through to the end, without a rail, a ledger entry, an event or a changed balance. */
import type { TestPayouts } from '@tributary/contract/dashboard'
import { describe, expect, it } from 'vitest'
import { createTestPayout } from '../../src/money/test-payouts/create-test-payout.ts'
import { usePayouts } from '../dashboard/payout-scene.ts'
import { brokenInvariants } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { approvedAffiliate, refund } from '../ledger/scene.ts'
import { earnFor } from './ground.ts'

const scene = usePayouts()

const list = (): Promise<TestPayouts> =>
  scene.ask('listTestPayouts', { query: { campaign_id: scene.campaign.id } })
const create = (person = scene.finance) =>
  person.call('createTestPayout', { body: { campaign_id: scene.campaign.id } })
const affiliate = (names = {}) => approvedAffiliate(scene, scene.campaign.id, names)
const sell = (of: { token: string }, amount: number, is_test = true) =>
  earnFor(scene, scene.campaign, of, amount, { is_test })
/** Everything that money, rails and webhooks are made from. */
const world = async () =>
  (
    await scene.database.owner.query(
      `SELECT (SELECT json_agg(c ORDER BY c.id) FROM commissions c) AS commissions, (SELECT count(*) FROM payouts) AS payouts,
              (SELECT count(*) FROM payout_items) AS items, (SELECT count(*) FROM payout_submissions) AS submissions,
              (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM notices) AS notices`,
    )
  ).rows[0]

describe('a test payout', () => {
  it('pays each affiliate their test commissions, refunds deducted, and only those', async () => {
    const jane = await affiliate({ name: 'Jane' })
    const john = await affiliate({ name: 'John' })
    const { external_id } = await sell(jane, 10_000)
    await sell(jane, 5000)
    await sell(john, 2000)
    await sell(john, 90_000, false)
    await refund(scene.api, {
      external_id: `refund-${external_id}`,
      sale_external_id: external_id,
      amount_minor: 4000,
    })
    const before = await list()
    const owed = (await scene.ask('getAffiliate', { id: john.id })).balances
    const state = await world()
    const { status, body } = await create()
    expect([status, body]).toEqual([
      200,
      { id: expect.any(Number), payment_count: 2, total_minor: before.open.total_minor },
    ])
    const recent = { id: body.id, campaign_id: scene.campaign.id, campaign_name: scene.campaign.name }
    for (const query of [{}, { campaign_id: scene.campaign.id }])
      expect((await scene.ask('listRecentTestPayouts', { query })).data).toEqual([
        {
          ...recent,
          currency: 'USD',
          created_at: expect.any(String),
          ...{ payment_count: 2, total_minor: body.total_minor },
        },
      ])
    const elsewhere = { query: { campaign_id: scene.campaign.id + 1_000_000 } }
    expect((await scene.ask('listRecentTestPayouts', elsewhere)).data).toEqual([])
    const after = await list()
    expect(after).toMatchObject({
      open: { payment_count: 0, total_minor: 0 },
      data: [
        {
          id: body.id,
          payment_count: 2,
          total_minor: before.open.total_minor,
          payments: [
            { affiliate_id: jane.id, name: 'Jane' },
            { affiliate_id: john.id, name: 'John' },
          ],
        },
      ],
    })
    const rate = (after.data[0]?.payments[1]?.amount_minor ?? 0) / 2000
    expect(after.data[0]?.payments[0]?.amount_minor).toBe(11_000 * rate)
    // Nothing that money depends on has changed.
    expect(await world()).toEqual(state)
    expect((await scene.ask('getAffiliate', { id: john.id })).balances).toEqual(owed)
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('skips the hold and the minimum, which it names', async () => {
    const jane = await affiliate()
    await sell(jane, 100)
    const { hold_days, minimum_payout_minor, open } = await list()
    expect([hold_days, minimum_payout_minor]).toEqual([scene.campaign.hold_days, 1000])
    expect(open.total_minor).toBeLessThan(1000)
    expect((await create()).status).toBe(200)
  })

  it('takes a commission once, also of two at the same time', async () => {
    await sell(await affiliate(), 10_000)
    const second = await whileHeld(
      scene.database,
      tx => createTestPayout(tx, scene.account.id, scene.campaign.id),
      create,
    )
    const nothing = [409, expect.stringContaining('There are no test commissions to pay.')]
    for (const { status, body } of [second, await create()])
      expect([status, body.error.message]).toEqual(nothing)
    expect((await list()).data).toHaveLength(1)
  })

  it('leaves out affiliates who are not approved and referrals that are rejected', async () => {
    const jane = await affiliate()
    await sell(jane, 10_000)
    await scene.ask('updateAffiliate', { id: jane.id, body: { status: 'rejected' } }, scene.owner)
    expect((await create()).status).toBe(409)
  })

  it('is refused to a viewer and to other accounts, and audited', async () => {
    await sell(await affiliate(), 10_000)
    expect((await create(scene.viewer)).status).toBe(403)
    const { body } = await create(scene.owner)
    const { data } = await scene.ask('listAuditLog', { query: { action: 'test_payout.create' } })
    expect(data[0]).toMatchObject({ actor_name: scene.owner.email, subject_id: body.id })
    const unknown = await scene.finance.call('createTestPayout', { body: { campaign_id: 999_999 } })
    expect(unknown.status).toBe(404)
  })
})

it('the doctor finds a commission in a test payout that is not a test', async () => {
  const jane = await affiliate()
  await sell(jane, 10_000)
  const { commissions } = await sell(jane, 5000, false)
  const { body } = await create()
  await scene.database.owner.query(
    'INSERT INTO test_payout_entries (account_id, commission_id, test_payout_id) VALUES ($1, $2, $3)',
    [scene.account.id, commissions[0]?.id, body.id],
  )
  expect(await brokenInvariants(scene.database)).toEqual([expect.stringContaining('is not a test')])
})
