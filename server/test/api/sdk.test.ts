/** Protects programs that use the SDK: against the real service, and over a network that loses answers, all happens once. */
import { Tributary, TributaryError } from '@tributary/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildAccount, buildAffiliate, buildCampaign, buildCommission, unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { startLossyProxy } from '../lossy-proxy.ts'

const scene = useScene()
let proxy: Awaited<ReturnType<typeof startLossyProxy>>
let tributary: Tributary

beforeAll(async () => {
  proxy = await startLossyProxy(scene.app.url)
  tributary = new Tributary({ apiKey: scene.account.key, baseUrl: `${proxy.url}/` })
})
afterAll(() => proxy?.close())

const newAffiliate = () => ({
  email: `${unique('sdk')}@example.com`,
  campaign_id: scene.place.campaign_id,
  token: unique('sdk'),
})
const count = async (table: string) =>
  Number((await scene.database.owner.query(`SELECT count(*) FROM ${table}`)).rows[0].count)

describe('the whole way', () => {
  it('from the affiliate to the refund', async () => {
    const wanted = newAffiliate()
    const made = await tributary.affiliates.create(wanted).withResponse()
    expect([made.status, made.data]).toMatchObject([201, { status: 'pending', email: wanted.email }])
    const again = await tributary.affiliates.create(wanted).withResponse()
    expect([again.status, again.data]).toEqual([200, made.data])

    const affiliate = await tributary.affiliates.update(made.data.id, { status: 'approved', tags: ['vip'] })
    expect(affiliate).toEqual({ ...made.data, status: 'approved', tags: ['vip'] })
    expect(await tributary.affiliates.get(affiliate.id)).toEqual(affiliate)
    expect(await tributary.affiliates.createMagicLink(affiliate.id)).toEqual({
      url: expect.stringContaining('https://programme.example/'),
      expires_in: 900,
    })

    const customer_ref = unique('customer')
    const { campaign_id, token } = wanted
    const conversion = await tributary.conversions.create({ campaign_id, customer_ref, token })
    expect(conversion.referral).toMatchObject({ affiliate_id: affiliate.id, status: 'approved' })
    const { referral } = conversion
    if (!referral) return expect.unreachable('The conversion is unattributed')
    expect(await tributary.referrals.get(referral.id)).toEqual(referral)

    const sale = { customer_ref, amount_minor: 10_000, currency: 'USD', external_id: unique('sale') }
    const { commissions } = await tributary.sales.create(sale)
    const [commission] = commissions
    if (!commission) return expect.unreachable('Nothing was earned')
    expect(commission).toMatchObject({ amount_minor: 2000, status: 'pending', referral_id: referral.id })
    expect(await tributary.commissions.approve(commission.id)).toEqual({ ...commission, status: 'approved' })

    const refund = { external_id: unique('refund'), sale_external_id: sale.external_id }
    const refunded = await tributary.refunds.create(refund).withResponse()
    expect([refunded.status, refunded.data.commissions]).toMatchObject([
      201,
      [{ entry_type: 'clawback', amount_minor: -2000 }],
    ])
    const repeated = await tributary.refunds.create(refund).withResponse()
    expect([repeated.status, repeated.data]).toEqual([200, refunded.data])
    const entries = await tributary.commissions.list({ affiliate_id: affiliate.id }).page()
    expect(entries).toMatchObject({ data: [{ amount_minor: -2000 }, { id: commission.id }], has_more: false })
  })

  it('webhook endpoints come and go', async () => {
    const { secret, ...endpoint } = await tributary.webhookEndpoints.create({
      url: 'https://receiver.example/',
      events: ['payout.paid'],
    })
    expect(secret).toMatch(/^whsec_/)
    expect((await tributary.webhookEndpoints.list({ status: 'active' }).page()).data).toEqual([endpoint])
    expect(await tributary.webhookEndpoints.delete(endpoint.id)).toBeUndefined()
    expect((await tributary.webhookEndpoints.list().page()).data).toEqual([])
    await expect(tributary.webhookEndpoints.delete(endpoint.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('a list is walked over, whatever the size of its pages', async () => {
    const account = await buildAccount(scene.database)
    const campaign = await buildCampaign(scene.database, account.id)
    const ids: number[] = []
    for (let made = 0; made < 105; made++)
      ids.unshift((await buildAffiliate(scene.database, account.id, campaign.id)).id)
    const client = new Tributary({ apiKey: account.key, baseUrl: proxy.url })
    for (const [filters, requests] of [
      [{}, 2],
      [{ limit: 40 }, 3],
      [{ limit: 35, campaign_id: campaign.id }, 3],
    ] as const) {
      proxy.lose(0)
      const seen: number[] = []
      for await (const { id } of client.affiliates.list(filters)) seen.push(id)
      expect(seen).toEqual(ids)
      expect(proxy.passedOn).toHaveLength(requests)
    }
    expect((await client.affiliates.list().page()).data).toHaveLength(25)
    expect(await client.campaigns.list().page()).toEqual({ data: [campaign], has_more: false })
    expect(await client.campaigns.get(campaign.id)).toEqual(campaign)
    expect(await client.payouts.list({ rail: 'manual' }).page()).toEqual({ data: [], has_more: false })
  })
})

describe('a refusal', () => {
  const failure = (call: Promise<unknown>): Promise<TributaryError> =>
    call.then(
      () => expect.unreachable('It succeeded'),
      reason => reason,
    )

  it.each<[string, number, () => Promise<unknown>]>([
    ['not_found', 404, () => tributary.affiliates.get(2 ** 40)],
    [
      'validation_failed',
      422,
      () => tributary.affiliates.create({ ...newAffiliate(), nickname: 'x' } as never),
    ],
    ['validation_failed', 422, () => tributary.payouts.list({ limit: 101 }).page()],
    [
      'conflict',
      409,
      async () => {
        const { token } = await tributary.affiliates.create(newAffiliate())
        return tributary.affiliates.create({ ...newAffiliate(), token })
      },
    ],
    [
      'invalid_state',
      409,
      async () =>
        tributary.commissions.void(await buildCommission(scene.database, scene.place, { status: 'void' })),
    ],
    [
      'unauthorized',
      401,
      () => new Tributary({ apiKey: 'trib_wrong', baseUrl: scene.app.url }).campaigns.list().page(),
    ],
  ])('is an error with the code %s', async (code, status, call) => {
    const error = await failure(call())
    expect(error).toBeInstanceOf(TributaryError)
    expect(error).toMatchObject({ code, status, requestId: expect.stringMatching(/\S/) })
    expect(error.message).toMatch(/\.$/)
  })
})

describe('when answers get lost', () => {
  it('an affiliate is created once, and the answer is the first one', async () => {
    const before = await count('affiliates')
    proxy.lose(2)
    const { data, status } = await tributary.affiliates.create(newAffiliate()).withResponse()
    expect(proxy.passedOn).toEqual([
      { method: 'POST', status: 201, replayed: false },
      { method: 'POST', status: 201, replayed: true },
      { method: 'POST', status: 201, replayed: true },
    ])
    expect([status, data]).toEqual([201, await tributary.affiliates.get(data.id)])
    expect(await count('affiliates')).toBe(before + 1)
  })

  it('an endpoint is created once, and its secret is not lost with the answer', async () => {
    const before = await count('webhook_endpoints')
    proxy.lose(1)
    const endpoint = { url: 'https://lost.example/', events: ['payout.paid' as const] }
    const { id, secret } = await tributary.webhookEndpoints.create(endpoint)
    expect(secret).toMatch(/^whsec_/)
    expect(await count('webhook_endpoints')).toBe(before + 1)
    proxy.lose(1)
    expect(await tributary.webhookEndpoints.delete(id)).toBeUndefined()
    expect(proxy.passedOn.map(({ status }) => status)).toEqual([204, 404])
    expect((await tributary.webhookEndpoints.list().page()).data).toEqual([])
  })

  it('a commission is voided once: the second attempt is no refusal', async () => {
    const id = await buildCommission(scene.database, scene.place)
    proxy.lose(1)
    expect(await tributary.commissions.void(id)).toMatchObject({ id, status: 'void' })
    expect(proxy.passedOn).toHaveLength(2)
  })

  it('a caller that gave up finds out with the key of the error', async () => {
    const wanted = newAffiliate()
    proxy.lose(1)
    const error: TributaryError = await tributary.affiliates.create(wanted, { maxRetries: 0 }).then(
      () => expect.unreachable('Its answer was lost'),
      reason => reason,
    )
    const { idempotencyKey } = error
    expect([error.code, idempotencyKey]).toEqual(['connection_failed', expect.any(String)])
    const { status, headers } = await tributary.affiliates.create(wanted, { idempotencyKey }).withResponse()
    expect([status, headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  })

  it('a write that takes longer than its time is waited for, and not done again', async () => {
    const before = await count('affiliates')
    const blocker = await scene.database.owner.connect()
    try {
      await blocker.query('BEGIN; LOCK TABLE enrolments IN ACCESS EXCLUSIVE MODE')
      proxy.lose(0)
      // As many retries as it takes: on a slow machine others than the first time out too.
      const call = tributary.affiliates
        .create(newAffiliate(), { timeoutMs: 500, maxRetries: 100 })
        .withResponse()
      await expect.poll(() => proxy.passedOn.map(({ status }) => status)).toContain(409)
      await blocker.query('COMMIT')
      const { status, headers } = await call
      expect([status, headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    } finally {
      await blocker.query('ROLLBACK')
      blocker.release()
    }
    expect(await count('affiliates')).toBe(before + 1)
  })
})
