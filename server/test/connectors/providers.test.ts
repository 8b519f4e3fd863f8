/**
 * Protects each provider from its webhook URL to the ledger: a signed sale earns, a refund takes its share back, a repeated delivery changes
 * nothing, and what someone else signed is refused and not stored.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import { listConnectors } from '../../src/connectors/connector.store.ts'
import { endConnector } from '../../src/connectors/manage-connectors.ts'
import { reportConversion } from '../../src/earning/conversions/report-conversion.ts'
import { referralsOfCustomer } from '../../src/earning/referrals/referrals-of-customer.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { approvedAffiliate, openCampaign } from '../ledger/scene.ts'
import { type Delivered, providers } from './provider-deliveries.ts'
import { type Billing, connectBilling, deliver, earnedBySale, events, sendPaddle, work } from './scene.ts'

const scene = useOwnScene()
// Some providers allow one connector at a time.
beforeEach(async () => {
  const { database, account } = scene
  for (const { id } of await listConnectors(database.db, account.id))
    await endConnector(database.db, account.id, id)
})

describe.each(providers)('$name', ({ name, saleType, hasAnyType, mapping, deliveries, sign }) => {
  const connect = () => connectBilling(scene, { provider: name, signingSecret: 'secret', mapping })
  type Billing = Awaited<ReturnType<typeof connect>>
  const send = async ({ connector }: Billing, { body, headers = {} }: Delivered, secret = 'secret') => {
    const text = JSON.stringify(body)
    const signed = { ...headers, ...sign(text, secret) }
    return (await deliver(scene, connector, text, signed, `/connect/${name}/${connector.id}`)).status
  }

  it.each([
    ['a sale and its refund', 1],
    ['a refund that arrives before its sale', 2],
  ])('settles %s', async (_, order) => {
    const billing = await connect()
    const { sale, refund, saleId } = deliveries(order, billing.affiliate.token)
    for (const delivered of order === 1 ? [sale, refund] : [refund, sale]) {
      expect(await send(billing, delivered)).toBe(200)
      await work(scene)
    }
    // 20% of 100.00, of which a quarter was refunded.
    expect(await earnedBySale(scene, billing)).toEqual({ [saleId]: 1500 })
    const shown = (await events(scene, billing)).map(({ status, reason }) => ({ status, reason }))
    expect(shown).toEqual(Array(2).fill({ status: 'applied', reason: null }))

    for (const delivered of [sale, refund]) expect(await send(billing, delivered)).toBe(200)
    await work(scene)
    expect(await events(scene, billing)).toHaveLength(2)
    expect(await earnedBySale(scene, billing)).toEqual({ [saleId]: 1500 })
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('refuses an event of a type that the provider does not have, and stores nothing; another system may have any', async () => {
    const billing = await connect()
    const { sale } = deliveries(4, billing.affiliate.token)
    const unheardOf = JSON.parse(JSON.stringify(sale).replace(saleType, 'invoice/framed'))
    expect(await send(billing, unheardOf)).toBe(hasAnyType ? 200 : 400)
    await work(scene)
    expect((await events(scene, billing)).map(({ status }) => status)).toEqual(hasAnyType ? ['ignored'] : [])
  })

  it('refuses what another secret signed, and stores nothing', async () => {
    const billing = await connect()
    const { sale } = deliveries(3, billing.affiliate.token)
    expect(await send(billing, sale, 'other')).toBe(400)
    expect(await events(scene, billing)).toEqual([])
  })
})

it.each([
  ['in order', ['discount.created', 'discount.updated']],
  ['in the wrong order', ['discount.updated', 'discount.created']],
])('credits the present code of a Paddle discount whose events arrive %s', async (_, order) => {
  const billing = await connectBilling(scene, { provider: 'paddle', signingSecret: 'secret' })
  const before = await approvedAffiliate(scene, billing.campaign.id)
  const id = unique('paddle')
  const send = (type: string, at: string, data: object) => sendPaddle(scene, billing, type, at, data)
  const changes: Record<string, [string, string | null]> = {
    'discount.created': ['2026-01-01T00:00:00Z', before.coupon_code],
    'discount.updated': ['2026-01-02T00:00:00Z', billing.affiliate.coupon_code],
  }
  for (const type of order) {
    const [at, code] = changes[type] as [string, string]
    await send(type, at, { id: `dsc_${id}`, code })
  }
  const buy = (name: string) =>
    send('transaction.completed', '2026-01-03T00:00:00Z', {
      id: `txn_${name}_${id}`,
      customer_id: `ctm_${name}_${id}`,
      discount_id: `dsc_${id}`,
      currency_code: 'USD',
      details: { totals: { tax: '0', total: '10000', grand_total: '10000' } },
    })
  await buy('a')
  expect(await earnedBySale(scene, billing)).toEqual({ [`paddle:txn_a_${id}`]: 2000 })
  await send('discount.updated', '2026-01-03T00:00:00Z', { id: `dsc_${id}`, code: null })
  await buy('b')
  expect(await earnedBySale(scene, billing)).toEqual({ [`paddle:txn_a_${id}`]: 2000 })
})

it.each([
  ['a sale', 'transaction.completed'],
  ['a change of the subscription', 'subscription.updated'],
])(
  'leaves a customer with their affiliate if a Paddle discount gets another code before %s',
  async (_, next) => {
    const { database, account } = scene
    const billing = await connectBilling(scene, { provider: 'paddle', signingSecret: 'secret' })
    const other = await openCampaign(database, account.id)
    const bob = await approvedAffiliate(scene, other.id)
    const id = unique('paddle')
    const send = (type: string, day: number, data: object) =>
      sendPaddle(scene, billing, type, `2026-01-0${day}T00:00:00Z`, data)
    const rename = (day: number, code: string) =>
      send(day === 1 ? 'discount.created' : 'discount.updated', day, { id: `dsc_${id}`, code })
    const pay = (day: number, customer: string) =>
      send('transaction.completed', day, {
        id: `txn_${day}_${customer}`,
        customer_id: customer,
        subscription_id: `sub_${customer}`,
        discount_id: `dsc_${id}`,
        currency_code: 'USD',
        details: { totals: { tax: '0', total: '10000', grand_total: '10000' } },
      })
    const [known, fresh] = [unique('ctm'), unique('ctm')]
    await rename(1, billing.affiliate.coupon_code)
    await pay(2, known)
    await rename(3, bob.coupon_code)
    if (next === 'subscription.updated')
      await send(next, 4, {
        id: `sub_${known}`,
        customer_id: known,
        status: 'active',
        discount: { id: `dsc_${id}` },
      })
    await pay(5, known)
    await pay(6, fresh)
    expect(await earnedBySale(scene, billing)).toEqual({
      [`paddle:txn_2_${known}`]: 2000,
      [`paddle:txn_5_${known}`]: 2000,
    })
    expect(await earnedBySale(scene, { ...billing, affiliate: bob })).toEqual({
      [`paddle:txn_6_${fresh}`]: 2000,
    })
    const referrals = await database.db.transaction(tx => referralsOfCustomer(tx, account.id, known))
    expect(referrals).toMatchObject([{ affiliate_id: billing.affiliate.id }])
  },
)

it('credits the affiliate of a Paddle discount that a customer of another campaign uses for a new subscription', async () => {
  const { database, account } = scene
  const billing = await connectBilling(scene, { provider: 'paddle', signingSecret: 'secret' })
  const bob = await approvedAffiliate(scene, (await openCampaign(database, account.id)).id)
  const customer = unique('ctm')
  const send = (type: string, day: number, data: object) =>
    sendPaddle(scene, billing, type, `2026-01-0${day}T00:00:00Z`, data)
  const pay = (day: number, subscription: string, evidence: object) =>
    send('transaction.completed', day, {
      id: `txn_${day}_${customer}`,
      customer_id: customer,
      subscription_id: `${subscription}_${customer}`,
      currency_code: 'USD',
      details: { totals: { tax: '0', total: '10000', grand_total: '10000' } },
      ...evidence,
    })
  const discount = { discount_id: `dsc_${customer}` }
  await send('discount.created', 1, { id: `dsc_${customer}`, code: bob.coupon_code })
  await pay(2, 'first', { custom_data: { via: billing.affiliate.token } })
  await pay(3, 'second', discount)
  await pay(4, 'second', discount)
  expect(await earnedBySale(scene, { ...billing, affiliate: bob })).toEqual({
    [`paddle:txn_3_${customer}`]: 2000,
    [`paddle:txn_4_${customer}`]: 2000,
  })
})

it('answers when WooCommerce asks whether the address exists, and stores nothing', async () => {
  const billing = await connectBilling(scene, { provider: 'woocommerce', signingSecret: 'secret' })
  const path = `/connect/woocommerce/${billing.connector.id}`
  expect((await deliver(scene, billing.connector, 'webhook_id=5', {}, path)).status).toBe(200)
  expect(await events(scene, billing)).toEqual([])
})

it.each([
  ['custom', { events: { paid: 'sale' } }, 'type'],
  ['custom', { type: 'kind', events: { paid: 'sold' } }, 'sold|none of'],
  ['paddle', { type: 'kind' }, 'not used'],
])('refuses a mapping that %s cannot use', async (provider, mapping, problem) => {
  const adding = connectBilling(scene, { provider, signingSecret: 'secret', mapping })
  await expect(adding).rejects.toThrow(new RegExp(`^mapping .*(${problem})`))
})

it.each([
  [7, '0000-01-01'],
  [8, '9999-12-31T23:59:59-12:00'],
])('event %i, which says it happened at %s, has the time of its arrival', async (order, at) => {
  const custom = providers.find(({ name }) => name === 'custom') as (typeof providers)[number]
  const { mapping, sign, deliveries } = custom
  const billing = await connectBilling(scene, { provider: 'custom', signingSecret: 'secret', mapping })
  const { sale, saleId } = deliveries(order, billing.affiliate.token)
  const body = JSON.stringify({ ...sale.body, at })
  const path = `/connect/custom/${billing.connector.id}`
  const before = Date.now()
  expect((await deliver(scene, billing.connector, body, sign(body, 'secret'), path)).status).toBe(200)
  await work(scene)
  expect(await earnedBySale(scene, billing)).toEqual({ [saleId]: 2000 })
  const [stored] = await events(scene, billing)
  expect(Date.parse(stored?.occurred_at as string)).toBeGreaterThanOrEqual(before)
})

describe('a test sale', () => {
  const mapping = {
    type: 'type',
    customer: 'customer',
    token: 'token',
    sale_id: 'order',
    amount: 'net',
    currency: 'currency',
    is_test: 'test',
    events: { joined: 'customer', paid: 'sale' },
  }
  const custom = { provider: 'custom', signingSecret: 'secret', takesTests: true, mapping }
  const send = async ({ connector }: Billing, body: object) => {
    const text = JSON.stringify(body)
    const headers = providers.find(({ name }) => name === 'custom')?.sign(text, 'secret')
    const answer = await deliver(scene, connector, text, headers, `/connect/custom/${connector.id}`)
    expect(answer.status).toBe(200)
    await work(scene)
  }
  const joined = (to: Billing, customer: string, test: boolean) =>
    send(to, { type: 'joined', customer, test, token: to.affiliate.token })
  const paid = (to: Billing, order: string, customer: string) =>
    send(to, { type: 'paid', customer, order, net: 100, currency: 'USD', test: true })
  const outcomes = async (of: Billing) =>
    (await events(scene, of))
      .filter(({ type }) => type === 'paid')
      .map(({ status, reason }) => [status, reason])
      .reverse()

  it('earns for a test referral only', async () => {
    const billing = await connectBilling(scene, custom)
    await joined(billing, 'real', false)
    await paid(billing, 'of-real', 'real')
    // Before its customer's referral.
    await paid(billing, 'of-later-real', 'later-real')
    await joined(billing, 'later-real', false)
    await joined(billing, 'tester', true)
    await paid(billing, 'of-tester', 'tester')
    expect(await outcomes(billing)).toEqual([
      ['ignored', 'Test mode'],
      ['ignored', 'Test mode'],
      ['applied', null],
    ])
    expect(Object.keys(await earnedBySale(scene, billing))).toEqual(['custom:of-tester'])
  })

  it('sees a real referral that is made at the same moment', async () => {
    const { database, account } = scene
    const billing = await connectBilling(scene, custom)
    const real = await connectBilling(scene)
    await joined(billing, 'both', true)
    let sale: Promise<void> | undefined
    await database.db.transaction(async tx => {
      await reportConversion(tx, account.id, {
        campaign_id: real.campaign.id,
        customer_ref: 'both',
        token: real.affiliate.token,
      })
      sale = paid(billing, 'of-both', 'both')
      const waiting = `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted`
      await expect.poll(async () => (await database.owner.query(waiting)).rowCount).toBe(1)
    })
    await sale
    expect(await outcomes(billing)).toEqual([['ignored', 'Test mode']])
    expect(await earnedBySale(scene, real)).toEqual({})
  })
})
