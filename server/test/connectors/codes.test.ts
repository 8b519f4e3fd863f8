/**
 * Protects the coupon codes of affiliates at Stripe: approving one creates one code whatever fails in between, a rejected affiliate's code is
 * turned off, and a code made at Stripe belongs to whom it was assigned.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { claimCode, insertMissingCodes } from '../../src/connectors/codes/code.store.ts'
import { assignCode, setCodeCoupon } from '../../src/connectors/codes/manage-codes.ts'
import { syncCodes } from '../../src/connectors/codes/sync-codes.ts'
import type { Db } from '../../src/db/database.ts'
import { Person } from '../dashboard/person.ts'
import { buildAccount, unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { approvedAffiliate } from '../ledger/scene.ts'
import { FakePromotionCodes } from './fake-promotion-codes.ts'
import { FakeStripe } from './fake-stripe.ts'
import { type Billing, connectStripe, earnedBySale, newCustomer, send, work } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const scene = useOwnScene()
const promotions = new FakePromotionCodes()
const fake = new FakeStripe('rk_live', promotions.handle)
let billing: Billing
let admin: Person
beforeAll(async () => {
  promotions.coupons.push('TWENTY')
  billing = await connectStripe(scene, { apiKey: 'rk_live', apiUrl: await fake.start() })
  admin = await Person.join(scene.app, scene.account.id, 'admin')
  await setCodeCoupon(calls(), scene.account.id, billing.connector.id, 'TWENTY')
  await sync()
})
afterAll(() => fake.stop())

const calls = () => ({ db: scene.database.db, secrets: scene.app.services.secrets })
const sync = (runMs = 60_000) => syncCodes(calls(), runMs)
const approve = () => approvedAffiliate(scene, billing.campaign.id)
const patch = (id: number, body: object) => scene.api.patch(`/affiliates/${id}`, body)
const listed = async (affiliateId: number) => {
  const { body } = await admin.call('listConnectorCodes', { id: billing.connector.id, query: { limit: 100 } })
  return body.data.filter((code: { affiliate_id: number }) => code.affiliate_id === affiliateId)
}
/** Lets the wait before the next attempt, or the lease of a process that died, pass. */
const passWait = () =>
  scene.database.owner.query('UPDATE connector_codes SET due_at = now() WHERE due_at IS NOT NULL')
const assign = (codeId: string, affiliateId: number) =>
  assignCode(calls(), scene.account.id, billing.connector.id, { codeId, affiliateId })

it('creates a code for each approved affiliate, once, and checkouts with it credit them', async () => {
  const affiliate = await approve()
  await Promise.all([sync(), sync(), sync()])
  await sync()
  const [made] = promotions.active(affiliate.coupon_code)
  expect(promotions.active(affiliate.coupon_code)).toHaveLength(1)
  expect(made?.promotion.coupon).toBe('TWENTY')
  expect(await listed(affiliate.id)).toMatchObject([
    { code: affiliate.coupon_code, status: 'active', problem: null, external_id: made?.id, is_ours: true },
  ])
  // A checkout names the promotion code by its ID alone.
  const [customer, invoice] = [newCustomer(), unique('in')]
  const discounts = [{ promotion_code: made?.id, coupon: null }]
  await send(
    scene,
    billing,
    stripe.event(
      'checkout.session.completed',
      stripe.session(unique('cs'), { customer, discounts }),
      stripe.START,
    ),
    stripe.event('invoice.paid', stripe.invoice(invoice, { customer }), stripe.START),
  )
  await work(scene)
  expect(await earnedBySale(scene, { ...billing, affiliate })).toEqual({ [`stripe:${invoice}`]: 2000 })
})

it('a run that has used up its time leaves the rest to the next', async () => {
  const affiliate = await approve()
  await sync(0)
  expect(promotions.active(affiliate.coupon_code)).toEqual([])
  expect(await listed(affiliate.id)).toMatchObject([{ status: 'pending' }])
  await sync()
  expect(promotions.active(affiliate.coupon_code)).toHaveLength(1)
})

it('a code is taken by one of several processes', async () => {
  const { db } = scene.database
  const affiliate = await approve()
  await insertMissingCodes(db)
  const second = await whileHeld(scene.database, claimCode, () => claimCode(db))
  expect(second).toBeUndefined()
  await passWait()
  await sync()
  expect(await listed(affiliate.id)).toMatchObject([{ status: 'active' }])
})

it.each([['lost' as const], [500], [429]])('one code exists after a call that ended in: %s', async fault => {
  const affiliate = await approve()
  // The library itself repeats a lost call twice, under the same key.
  fake.faults.push(...(fault === 'lost' ? [fault, fault, fault] : [fault]))
  await sync()
  expect(await listed(affiliate.id)).toMatchObject([
    { status: 'failed', next_attempt_at: expect.any(String) },
  ])
  await passWait()
  await sync()
  expect(await listed(affiliate.id)).toMatchObject([{ status: 'active', problem: null }])
  expect(promotions.active(affiliate.coupon_code)).toHaveLength(1)
})

it('one code exists after a process died between the call and its record', async () => {
  const affiliate = await approve()
  const { db } = scene.database
  const dies = {
    many: db.many.bind(db),
    first: db.first.bind(db),
    transaction: () => Promise.reject(new Error('died')),
  } as unknown as Db
  await expect(syncCodes({ ...calls(), db: dies })).rejects.toThrow('died')
  expect(promotions.active(affiliate.coupon_code)).toHaveLength(1)
  expect(await listed(affiliate.id)).toMatchObject([{ status: 'pending' }])
  // Its lease has not passed.
  await sync()
  expect(await listed(affiliate.id)).toMatchObject([{ status: 'pending' }])
  await passWait()
  await sync()
  expect(await listed(affiliate.id)).toMatchObject([{ status: 'active' }])
  expect(promotions.codes.filter(({ code }) => code === affiliate.coupon_code)).toHaveLength(1)
})

it('finds the code of a call whose answer was lost more than a day ago, also if the affiliate was rejected since', async () => {
  for (const isRejected of [false, true]) {
    const affiliate = await approve()
    fake.faults.push('lost', 'lost', 'lost')
    await sync()
    fake.forgetKeys()
    if (isRejected) await patch(affiliate.id, { status: 'rejected' })
    await passWait()
    await sync()
    expect(await listed(affiliate.id)).toMatchObject([{ status: isRejected ? 'inactive' : 'active' }])
    expect(promotions.active(affiliate.coupon_code)).toHaveLength(isRejected ? 0 : 1)
  }
})

it('turns the code of a rejected affiliate off, and on again', async () => {
  const affiliate = await approve()
  await sync()
  await patch(affiliate.id, { status: 'rejected' })
  await sync()
  expect(promotions.active(affiliate.coupon_code)).toEqual([])
  expect(await listed(affiliate.id)).toMatchObject([{ status: 'inactive' }])
  await patch(affiliate.id, { status: 'approved' })
  await sync()
  expect(promotions.active(affiliate.coupon_code)).toHaveLength(1)
  const renamed = unique('renamed')
  await patch(affiliate.id, { coupon_code: renamed })
  await sync()
  expect(promotions.active(affiliate.coupon_code)).toEqual([])
  expect(promotions.active(renamed)).toHaveLength(1)
})

it('takes a code that exists for the same coupon, leaves it alone, and says if it belongs to another', async () => {
  const [same, other] = [unique('same'), unique('other')]
  promotions.add(same, 'TWENTY')
  promotions.add(other, 'THIRTY')
  const [first, second] = [await approve(), await approve()]
  await patch(first.id, { coupon_code: same })
  await patch(second.id, { coupon_code: other })
  await sync()
  expect(await listed(first.id)).toMatchObject([{ status: 'active', is_ours: false }])
  expect(await listed(second.id)).toMatchObject([
    {
      status: 'failed',
      problem: `The code ${other} exists at Stripe already, for another coupon or affiliate.`,
    },
  ])
  await patch(first.id, { status: 'rejected' })
  await sync()
  expect(promotions.active(same)).toHaveLength(1)
})

it('says that the key was revoked, and goes on with another', async () => {
  const affiliate = await approve()
  fake.key = 'rk_new'
  await sync()
  const [code] = await listed(affiliate.id)
  expect(code).toMatchObject({
    status: 'failed',
    problem: expect.stringContaining('Invalid API Key provided'),
  })
  await admin.call('setConnectorSecrets', { id: billing.connector.id, body: { api_key: 'rk_new' } })
  await sync()
  expect(await listed(affiliate.id)).toMatchObject([{ status: 'active', problem: null }])
})

it('a code made at Stripe is listed and assigned, to one affiliate', async () => {
  const { id } = billing.connector
  const [first, second] = [await approve(), await approve()]
  for (const each of [first, second]) await patch(each.id, { coupon_code: null })
  const made = promotions.add(unique('made'), 'THIRTY')
  const find = async () =>
    (await admin.call('listProviderCodes', { id })).body.data.find(
      (code: { id: string }) => code.id === made.id,
    )
  expect(await find()).toEqual({ id: made.id, code: made.code, coupon: 'THIRTY', affiliate_id: null })
  const body = { code_id: made.id, affiliate_id: first.id }
  expect((await admin.call('assignConnectorCode', { id, body })).body).toEqual({ code: made.code })
  expect(await find()).toMatchObject({ affiliate_id: first.id })
  expect((await scene.api.get(`/affiliates/${first.id}`)).body).toMatchObject({ coupon_code: made.code })
  // Again changes nothing, nor does a sync.
  expect((await admin.call('assignConnectorCode', { id, body })).status).toBe(200)
  await sync()
  expect(await listed(first.id)).toMatchObject([{ status: 'active', is_ours: false, external_id: made.id }])
  await expect(assign(made.id, second.id)).rejects.toMatchObject({ code: 'conflict' })
  const another = promotions.add(unique('made'), 'THIRTY')
  await expect(assign(another.id, first.id)).rejects.toThrow(`already has the coupon code ${made.code}`)
})

it('of two codes assigned to an affiliate at once, one is theirs', async () => {
  const affiliate = await approve()
  await patch(affiliate.id, { coupon_code: null })
  const [one, two] = [promotions.add(unique('one'), 'THIRTY'), promotions.add(unique('two'), 'THIRTY')]
  const second = whileHeld(
    scene.database,
    tx =>
      assignCode({ ...calls(), db: tx }, scene.account.id, billing.connector.id, {
        codeId: one.id,
        affiliateId: affiliate.id,
      }),
    () => assign(two.id, affiliate.id),
  )
  await expect(second).rejects.toThrow(`already has the coupon code ${one.code}`)
})

it('only who may change settings manages codes, with a coupon that exists, at a provider that has codes', async () => {
  const { id } = billing.connector
  const viewer = await Person.join(scene.app, scene.account.id, 'viewer')
  const stranger = await Person.join(scene.app, (await buildAccount(scene.database)).id, 'owner')
  const body = { code_id: 'promo_1', affiliate_id: billing.affiliate.id }
  expect((await viewer.call('listProviderCodes', { id })).status).toBe(403)
  expect((await viewer.call('setConnectorCoupon', { id, body: { coupon: null } })).status).toBe(403)
  expect((await viewer.call('assignConnectorCode', { id, body })).status).toBe(403)
  expect((await viewer.call('retryConnectorCodes', { id, body: {} })).status).toBe(403)
  for (const [route, sent] of [
    ['listConnectorCodes', {}],
    ['listProviderCodes', {}],
    ['setConnectorCoupon', { body: { coupon: null } }],
    ['assignConnectorCode', { body }],
    ['retryConnectorCodes', { body: {} }],
  ] as const)
    expect((await stranger.call(route, { id, ...sent })).status).toBe(404)
  expect((await admin.call('assignConnectorCode', { id, body })).status).toBe(409)
  const missing = await admin.call('setConnectorCoupon', { id, body: { coupon: 'NONE' } })
  expect([missing.status, missing.text]).toEqual([409, expect.stringContaining('No such coupon')])
  const paddle = (await admin.call('createConnector', { body: { provider: 'paddle' } })).body
  expect((await admin.call('listProviderCodes', { id: paddle.id })).status).toBe(409)
  expect((await admin.call('setConnectorCoupon', { id, body: { coupon: null } })).body.code_coupon).toBeNull()
  const affiliate = await approve()
  await sync()
  expect(await listed(affiliate.id)).toEqual([])
})
