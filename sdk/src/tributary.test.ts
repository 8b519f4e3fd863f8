/** Each method calls its operation, lists paginate automatically, and the key stays secret. */
import { inspect } from 'node:util'
import { operations } from '@tributary/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answer, type FaultyServer, refusal, startFaultyServer } from '../test/faulty-server.ts'
import { Tributary, type TributaryOptions } from './index.ts'

const apiKey = 'trib_5eCr3t5eCr3t5eCr3t5eCr3t5eCr3t5eCr3t42'
const options = { apiKey, baseUrl: 'https://partners.example.com' }

let server: FaultyServer
let tributary: Tributary
beforeAll(async () => {
  server = await startFaultyServer()
  tributary = new Tributary({ apiKey, baseUrl: server.url, maxRetries: 0 })
})
afterAll(() => server.close())

describe('the methods', () => {
  const body = {} as never
  const calls: Record<keyof typeof operations, (client: Tributary) => Promise<unknown>> = {
    listAffiliates: client => client.affiliates.list().page(),
    createAffiliate: client => client.affiliates.create(body),
    getAffiliate: client => client.affiliates.get(7),
    updateAffiliate: client => client.affiliates.update(7, body),
    createMagicLink: client => client.affiliates.createMagicLink(7),
    listCampaigns: client => client.campaigns.list().page(),
    getCampaign: client => client.campaigns.get(7),
    listReferrals: client => client.referrals.list().page(),
    getReferral: client => client.referrals.get(7),
    listCommissions: client => client.commissions.list().page(),
    getCommission: client => client.commissions.get(7),
    updateCommission: client => client.commissions.update(7, body),
    listPayouts: client => client.payouts.list().page(),
    getPayout: client => client.payouts.get(7),
    listWebhookEndpoints: client => client.webhookEndpoints.list().page(),
    createWebhookEndpoint: client => client.webhookEndpoints.create(body),
    deleteWebhookEndpoint: client => client.webhookEndpoints.delete(7),
    createConversion: client => client.conversions.create(body),
    createSale: client => client.sales.create(body),
    createRefund: client => client.refunds.create(body),
  }

  it.each(Object.keys(operations) as (keyof typeof operations)[])('%s', async name => {
    const { method, path, ...operation } = operations[name]
    server.willDo(answer(200, { id: 7 }))
    expect(await calls[name](tributary)).toEqual({ id: 7 })
    const [request] = server.received
    expect([request?.method, request?.path]).toEqual([method, path.replace('{id}', '7')])
    expect(request?.headers.authorization).toBe(`Bearer ${apiKey}`)
    const sent = 'body' in operation ? ['{}', 'application/json'] : ['', undefined]
    expect([request?.body, request?.headers['content-type']]).toEqual(sent)
    const takesKey = method === 'POST' || method === 'PATCH'
    expect(request?.headers['idempotency-key'] !== undefined).toBe(takesKey)
  })

  it('approve and void by their names', async () => {
    server.willDo(answer(200, {}), answer(200, {}))
    await tributary.commissions.approve(7)
    await tributary.commissions.void(8)
    expect(server.received.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['PATCH', '/api/v1/commissions/7', '{"status":"approved"}'],
      ['PATCH', '/api/v1/commissions/8', '{"status":"void"}'],
    ])
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53, '7', '../campaigns', null, undefined])(
    'refuse the id %j before anything is sent',
    async id => {
      server.willDo()
      const call = tributary.affiliates.get(id as number)
      await expect(call).rejects.toThrow(/^Tributary: id must be a positive integer, not /)
      await expect(call).rejects.toBeInstanceOf(TypeError)
      expect(server.received).toEqual([])
    },
  )

  it.each(['', 'é', 'a\nb', 'x'.repeat(256), 7])('refuse the idempotency key %j', async idempotencyKey => {
    const call = tributary.affiliates.createMagicLink(7, { idempotencyKey } as never)
    await expect(call).rejects.toThrow('1 to 255 printable ASCII characters')
  })

  it('return status and headers with withResponse()', async () => {
    server.willDo(answer(201, { id: 7 }, { 'request-id': 'req-9' }), refusal(422, 'validation_failed'))
    const made = await tributary.affiliates.create(body).withResponse()
    expect([made.data, made.status, made.headers.get('request-id')]).toEqual([{ id: 7 }, 201, 'req-9'])
    // An unhandled rejection would fail this run.
    const refused = tributary.affiliates.create(body).withResponse()
    await expect(refused).rejects.toMatchObject({ code: 'validation_failed' })
  })
})

describe('lists', () => {
  const page = (ids: number[], has_more: boolean) => answer(200, { data: ids.map(id => ({ id })), has_more })
  const paths = () => server.received.map(({ path }) => path)

  it('iterate over all pages, in order', async () => {
    server.willDo(page([9, 8], true), page([5, 4], true), page([1], false))
    const ids: number[] = []
    for await (const { id } of tributary.commissions.list({ status: 'pending' })) ids.push(id)
    expect(ids).toEqual([9, 8, 5, 4, 1])
    expect(paths()).toEqual([
      '/api/v1/commissions?limit=100&status=pending',
      '/api/v1/commissions?limit=100&status=pending&starting_after=8',
      '/api/v1/commissions?limit=100&status=pending&starting_after=4',
    ])
  })

  it('fetch no page that is not read', async () => {
    server.willDo(page([9, 8], true))
    for await (const { id } of tributary.payouts.list({ limit: 2 })) if (id === 8) break
    expect(paths()).toEqual(['/api/v1/payouts?limit=2'])
  })

  it('start at starting_after, on every iteration', async () => {
    const list = tributary.payouts.list({ starting_after: 50, limit: 1 })
    for (let time = 0; time < 2; time++) {
      server.willDo(page([49], true), page([48], false))
      const ids: number[] = []
      for await (const { id } of list) ids.push(id)
      expect(ids).toEqual([49, 48])
      expect(paths()).toEqual([
        '/api/v1/payouts?limit=1&starting_after=50',
        '/api/v1/payouts?limit=1&starting_after=49',
      ])
    }
  })

  it('end at an empty page, whatever has_more says', async () => {
    server.willDo(page([], true))
    for await (const _ of tributary.campaigns.list()) expect.unreachable('There are none')
  })

  it("return one page, with the service's default size", async () => {
    server.willDo(page([3], true))
    expect(await tributary.referrals.list().page()).toEqual({ data: [{ id: 3 }], has_more: true })
    expect(paths()).toEqual(['/api/v1/referrals'])
  })

  it('send filters as a query, without undefined ones', async () => {
    server.willDo(page([], false))
    const filters = { email: 'a+b&c@example.com', tag: 'ö /?', status: undefined as never, campaign_id: 3 }
    await tributary.affiliates.list(filters).page()
    const query = new URL(server.received[0]?.path ?? '', server.url).searchParams
    expect([...query]).toEqual([
      ['email', 'a+b&c@example.com'],
      ['tag', 'ö /?'],
      ['campaign_id', '3'],
    ])
  })

  it('throw an error where the iteration meets it', async () => {
    server.willDo(page([9], true), refusal(401, 'unauthorized'))
    const seen: number[] = []
    const walk = async () => {
      for await (const { id } of tributary.affiliates.list()) seen.push(id)
    }
    await expect(walk()).rejects.toMatchObject({ code: 'unauthorized' })
    expect(seen).toEqual([9])
  })
})

describe('the options', () => {
  it.each<[string, string]>([
    ['https://x.example', 'https://x.example'],
    ['https://x.example/', 'https://x.example'],
    ['https://x.example///', 'https://x.example'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['https://x.example/partners/', 'https://x.example/partners'],
  ])('take the address %s', async (baseUrl, expected) => {
    const asked: string[] = []
    const fetch = async (url: string) => {
      asked.push(url)
      return Response.json({ id: 7 })
    }
    await new Tributary({ apiKey, baseUrl, fetch }).campaigns.get(7)
    expect(asked).toEqual([`${expected}/api/v1/campaigns/7`])
  })

  it.each<[string, object | undefined, RegExp]>([
    ['nothing', undefined, /pass \{ apiKey, baseUrl \}/],
    ['no key', { ...options, apiKey: undefined }, /apiKey must be an API key/],
    ['an empty key', { ...options, apiKey: '' }, /apiKey/],
    ['a key with a line break', { ...options, apiKey: `${apiKey}\n` }, /apiKey.*line breaks/],
    ['a key that is no text', { ...options, apiKey: 7 }, /apiKey/],
    ['no address', { ...options, baseUrl: undefined }, /baseUrl must be the http/],
    ['an address without its scheme', { ...options, baseUrl: 'partners.example.com' }, /baseUrl/],
    ['another scheme', { ...options, baseUrl: 'ftp://partners.example.com' }, /baseUrl/],
    ['an address with a user', { ...options, baseUrl: 'https://a:b@x.example' }, /baseUrl.*without a user/],
    ['an address with a query', { ...options, baseUrl: 'https://x.example/?a=1' }, /baseUrl.*a query/],
    ['the address of the API', { ...options, baseUrl: 'https://x.example/api/v1' }, /without \/api\/v1/],
    ['no time', { ...options, timeoutMs: 0 }, /timeoutMs must be from 1/],
    ['a time that no timer can wait', { ...options, timeoutMs: 2 ** 31 }, /timeoutMs/],
    ['a time that is no number', { ...options, timeoutMs: '30s' }, /timeoutMs/],
    ['negative retries', { ...options, maxRetries: -1 }, /maxRetries/],
    ['endless retries', { ...options, maxRetries: Number.POSITIVE_INFINITY }, /maxRetries/],
    ['no fetch', { ...options, fetch: 'fetch' }, /no global fetch here/],
  ])('are refused with %s', (_, given, message) => {
    const create = () => new Tributary(given as TributaryOptions)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })

  it('of one call are checked too', async () => {
    await expect(tributary.affiliates.get(1, { timeoutMs: -1 })).rejects.toThrow('timeoutMs')
    await expect(tributary.affiliates.get(1, { maxRetries: 0.5 })).rejects.toThrow('maxRetries')
  })
})

describe('the key', () => {
  const secret = apiKey.slice('trib_'.length)
  const everything = (value: unknown) =>
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true })

  it('is not exposed by inspecting or serializing a client', () => {
    const client = new Tributary(options)
    expect(everything(client)).not.toContain(secret)
    expect(everything(client.affiliates.list())).not.toContain(secret)
    expect(JSON.stringify(client)).not.toContain(secret)
  })

  it('is not in any error', async () => {
    const errors: unknown[] = []
    const keep = (error: unknown) => errors.push(error)
    server.willDo(
      refusal(401, 'unauthorized'),
      response => response.socket?.destroy(),
      () => undefined,
    )
    for (const timeoutMs of [60_000, 60_000, 100])
      await tributary.affiliates.create({} as never, { timeoutMs }).catch(keep)
    for (const wrong of [`${apiKey}\n`, ` ${apiKey}`, `${apiKey}é`])
      try {
        new Tributary({ ...options, apiKey: wrong })
      } catch (error) {
        keep(error)
      }
    expect(errors).toHaveLength(6)
    for (const error of errors) expect(`${everything(error)}${(error as Error).stack}`).not.toContain(secret)
  })
})
