/** Protects against the holes found in others' code (reliability.md): one test for each that concerns the ledger. */
import { afterEach, expect, it } from 'vitest'
import { adjustBalance } from '../../src/money/commissions/adjust-balance.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import {
  commission,
  convert,
  countRows,
  earnOne,
  entriesOf,
  pay,
  refund,
  sell,
  short,
  useRate,
  type Won,
  winCustomer,
} from './scene.ts'

const scene = useOwnScene()
const owed = async ({ affiliate }: Won) =>
  (await balancesOf(scene.database.db, scene.account.id, affiliate.id))[0]?.balance_minor ?? 0
const giveBack = (sale_external_id: string, amount_minor: number) =>
  refund(scene.api, { external_id: unique('refund'), sale_external_id, amount_minor })

it('one order id repeated pays each time', async () => {
  const won = await winCustomer(scene)
  const body = {
    customer_ref: won.customer_ref,
    external_id: unique('order'),
    amount_minor: 10_000,
    currency: 'USD',
  }
  for (let count = 0; count < 20; count++) await sell(scene.api, body)
  const inside = {
    campaign_id: won.campaign.id,
    customer_ref: won.customer_ref,
    token: won.affiliate.token,
    sale: { external_id: body.external_id, amount_minor: 10_000, currency: 'USD' },
  }
  for (let count = 0; count < 5; count++) expect((await convert(scene.api, inside)).status).toBe(200)
  expect([await owed(won), (await entriesOf(scene, won.referralId)).length]).toEqual([2000, 1])
})

it('a sale in EUR is booked as USD', async () => {
  const won = await winCustomer(scene)
  await useRate(scene, 'EUR', 'USD', '1.1')
  const { entry } = await earnOne(scene, won, 10_000, { currency: 'EUR' })
  expect(entry).toMatchObject({
    amount_minor: 2000,
    currency: 'EUR',
    payout_amount_minor: 2200,
    payout_currency: 'USD',
  })
  const refused = await sell(scene.api, {
    customer_ref: won.customer_ref,
    external_id: unique('s'),
    amount_minor: 1,
    currency: 'eur',
  })
  expect(refused.status).toBe(422)
})

it('a join over two tables doubles balances', async () => {
  const won = await winCustomer(scene)
  const { external_id } = await earnOne(scene, won)
  await earnOne(scene, won)
  for (let count = 0; count < 3; count++) await giveBack(external_id, 1000)
  const campaignId = won.campaign.id
  await adjustBalance(scene.database.db, scene.account.id, {
    affiliateId: won.affiliate.id,
    campaignId,
    amountMinor: -7,
    description: 'manual',
  })
  expect(await owed(won)).toBe(2000 + 2000 - 3 * 200 - 7)
})

it('a partial refund reverses everything', async () => {
  const won = await winCustomer(scene)
  const { external_id } = await earnOne(scene, won)
  await giveBack(external_id, 100)
  expect(await owed(won)).toBe(1980)
})

it('repeated partial refunds compound', async () => {
  const won = await winCustomer(scene)
  const { external_id } = await earnOne(scene, won)
  for (let count = 0; count < 4; count++) await giveBack(external_id, 2500)
  expect(await owed(won)).toBe(0)
  expect((await entriesOf(scene, won.referralId)).slice(1).map(short)).toEqual(
    Array(4).fill(['clawback', -500, 'approved']),
  )
})

it('a refund after payout is lost', async () => {
  const won = await winCustomer(scene)
  const { external_id } = await earnOne(scene, won)
  expect(await pay(scene, won.campaign.id)).toEqual({ [won.affiliate.id]: 2000 })
  await giveBack(external_id, 10_000)
  expect((await entriesOf(scene, won.referralId)).map(short)).toEqual([
    ['earned', 2000, 'paid'],
    ['clawback', -2000, 'approved'],
  ])
  expect(await owed(won)).toBe(-2000)
})

it('a split by thirds loses a cent', async () => {
  const won = await winCustomer(scene)
  const { external_id } = await earnOne(scene, won, 500)
  for (const part of [167, 167, 166]) await giveBack(external_id, part)
  expect((await entriesOf(scene, won.referralId)).map(({ amount_minor }) => amount_minor)).toEqual([
    100, -33, -34, -33,
  ])
})

it('the commission rate is read from data that the customer’s browser controls', async () => {
  const won = await winCustomer(scene)
  for (const extra of [{ rate: 100 }, { commission_minor: 1 }, { rate_basis_points: 10_000 }]) {
    const body = {
      customer_ref: won.customer_ref,
      external_id: unique('s'),
      amount_minor: 100,
      currency: 'USD',
      ...extra,
    }
    expect((await sell(scene.api, body)).status).toBe(422)
  }
  expect(await owed(won)).toBe(0)
})

it('an unauthenticated endpoint mints a commission', async () => {
  const won = await winCustomer(scene)
  const body = JSON.stringify({
    customer_ref: won.customer_ref,
    external_id: unique('s'),
    amount_minor: 100,
    currency: 'USD',
  })
  for (const prefix of [
    '/ingest/v1/sales',
    '/ingest/v1/sales/',
    '/INGEST/V1/sales',
    '//ingest/v1/sales',
    '/t/sales',
    '/api/v1/commissions',
  ]) {
    const response = await fetch(`${scene.app.url}${prefix}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBeGreaterThanOrEqual(400)
  }
  expect(await owed(won)).toBe(0)
})

it('a payout log shows another affiliate’s entries', async () => {
  const [a, b] = [await winCustomer(scene), await winCustomer(scene)]
  await earnOne(scene, a)
  await earnOne(scene, b, 5000)
  expect([await owed(a), await owed(b)]).toEqual([2000, 1000])
  const { body } = await scene.api.get(`/commissions?affiliate_id=${a.affiliate.id}`)
  expect(body.data.map((entry: { affiliate_id: number }) => entry.affiliate_id)).toEqual([a.affiliate.id])
})

const eventsOf = async (kind: string, id: number) =>
  (
    await scene.database.owner.query('SELECT body FROM events WHERE kind = $1 AND subject_id = $2', [
      kind,
      id,
    ])
  ).rows.map(({ body }) => JSON.parse(body).data)

it('each entry and each referral has one event, whose body is what GET returns', async () => {
  const won = await winCustomer(scene, { hold_days: 3 })
  const { external_id } = await earnOne(scene, won)
  await giveBack(external_id, 2500)
  const { body: referral } = await scene.api.get(`/referrals/${won.referralId}`)
  expect(await eventsOf('conversion.created', won.referralId)).toEqual([referral])
  const entries = await entriesOf(scene, won.referralId)
  expect(entries).toHaveLength(2)
  for (const { id } of entries)
    expect(await eventsOf('commission.created', id)).toEqual([await commission(scene, id)])
})

const breakEvents = `
  CREATE OR REPLACE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no event'; END $$;
  CREATE TRIGGER broken BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION broken()`
afterEach(() => scene.database.owner.query('DROP TRIGGER IF EXISTS broken ON events'))

it('events are sent before the commit, or lost with a crash after it: both or neither', async () => {
  const won = await winCustomer(scene)
  const { external_id } = await earnOne(scene, won)
  await scene.database.owner.query(breakEvents)
  const sale = {
    customer_ref: won.customer_ref,
    external_id: unique('s'),
    amount_minor: 100,
    currency: 'USD',
  }
  const back = { external_id: unique('r'), sale_external_id: external_id, amount_minor: 100 }
  expect([(await sell(scene.api, sale)).status, (await refund(scene.api, back)).status]).toEqual([500, 500])
  expect(await countRows(scene, 'sales', 'external_id = $1', [sale.external_id])).toBe(0)
  expect(await countRows(scene, 'refunds', 'external_id = $1', [back.external_id])).toBe(0)
  await scene.database.owner.query('DROP TRIGGER broken ON events')
  expect([(await sell(scene.api, sale)).status, (await refund(scene.api, back)).status]).toEqual([201, 201])
  expect(await brokenInvariants(scene.database)).toEqual([])
})
