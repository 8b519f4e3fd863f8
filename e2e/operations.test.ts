import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Tributary } from '@tributary/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pastMidnight } from '../testing/past-midnight.ts'
import { isFull } from '../testing/size.ts'
import { api, statusOf } from './support/api.ts'
import { type Env, must, tributary } from './support/program.ts'
import type { Programme } from './support/programme.ts'
import { sharedProgramme } from './support/shared.ts'
import type { SharedService } from './support/shared-parts.ts'
import { until } from './support/until.ts'

await pastMidnight()

/** Manual operations on a running service: money, reviews and webhooks, each through its command. */
let env: Env
let service: SharedService
let jane: number
let programme: Programme
let client: Tributary
let receiver: Server
const received: { headers: Record<string, string | string[] | undefined>; body: string }[] = []

/** Runs a command for the account and reads its JSON. */
const run = async (...args: string[]) =>
  JSON.parse(await must([...args, '--account', String(programme.accountId), '--json'], env))

beforeAll(async () => {
  ;({ programme, ...service } = await sharedProgramme())
  env = service.env
  client = api(service.url, programme.key)
  const affiliate = await client.affiliates.create({
    email: 'jane@example.com',
    campaign_id: programme.campaignId,
    token: 'jane',
  })
  jane = affiliate.id
  await client.affiliates.update(jane, { status: 'approved' })
  receiver = createServer((request, response) => {
    let text = ''
    request.on('data', chunk => {
      text += chunk
    })
    request.on('end', () => {
      received.push({ headers: request.headers, body: text })
      response.end('thank you')
    })
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise(resolve => receiver.close(resolve)))

describe('the ledger', () => {
  test('a sale in another currency earns once its rate is set, and the balance shows it', async () => {
    const conversion = { campaign_id: programme.campaignId, customer_ref: 'c1', token: 'jane' }
    const sale = { external_id: 's1', amount_minor: 10_000, currency: 'EUR' }
    expect((await client.conversions.create({ ...conversion, sale })).commissions).toEqual([])
    expect(await run('balance', '--affiliate', String(jane))).toEqual([])

    const today = new Date().toISOString().slice(0, 10)
    const set = ['fx', 'set', '--from', 'EUR', '--to', 'USD', '--rate', '1.1', '--day', today, '--json']
    expect(JSON.parse(await must(set, env))).toEqual({ from: 'EUR', to: 'USD', rate: '1.1', day: today })
    const pending = {
      currency: 'USD',
      pending_minor: 2200,
      approved_minor: 0,
      paid_out_minor: 0,
      balance_minor: 2200,
      credit_minor: 0,
    }
    await until('the sale earns', async () => (await run('balance', '--affiliate', String(jane))).length > 0)
    expect(await run('balance', '--affiliate', String(jane))).toEqual([pending])
    expect(await run('balance', '--affiliate', String(jane), '--as-of', '2020-01-01T00:00:00Z')).toEqual([])
  })

  test('a hold that passes is released by the service itself, and not before', async () => {
    const HOLD_MS = 30 * 24 * 60 * 60 * 1000
    const due = Date.now() + 5000
    const { commissions } = await client.sales.create({
      customer_ref: 'c1',
      external_id: 's2',
      amount_minor: 5000,
      currency: 'USD',
      occurred_at: new Date(due - HOLD_MS).toISOString(),
    })
    const id = commissions[0]?.id as number
    expect(commissions).toMatchObject([{ amount_minor: 1000, status: 'pending' }])
    const status = async () => (await client.commissions.get(id)).status
    await until('the hold is released', async () => (await status()) === 'approved')
    const late = Date.now() - due
    expect(late).toBeGreaterThanOrEqual(0)
    if (isFull) expect(late).toBeLessThan(5000)
    expect(await statusOf(client.commissions.void(id))).toBe(409)
  })

  test('an adjustment is a separate entry', async () => {
    const described = ['--campaign', String(programme.campaignId), '--description', 'Paid twice in May']
    const entry = await run('adjust', '--affiliate', String(jane), ...described, '--amount-minor', '-500')
    expect(await client.commissions.get(entry.id)).toEqual(entry)
    expect(entry).toMatchObject({ entry_type: 'adjustment', amount_minor: -500, status: 'approved' })
    expect(await run('balance', '--affiliate', String(jane))).toMatchObject([
      { approved_minor: 500, balance_minor: 2700 },
    ])
  })

  test('a referral is explained, reviewed, and cannot be reviewed twice', async () => {
    const { referral, attribution } = await client.conversions.create({
      campaign_id: programme.campaignId,
      customer_ref: 'c2',
      token: 'jane',
      customer_email: 'Jane@example.com',
    })
    expect(referral?.status).toBe('pending_review')
    const id = String(referral?.id)
    expect(await run('explain', '--referral', id)).toEqual(attribution)
    const explained = await must(['explain', '--account', String(programme.accountId), '--referral', id], env)
    expect(explained).toMatch(
      new RegExp(`won: token by affiliate ${jane}: .*jane.*\\n {2}review: self-referral`),
    )
    expect(await run('referral', 'approve', '--id', id)).toMatchObject({
      id: referral?.id,
      status: 'approved',
    })
    expect(await run('referral', 'reject', '--id', id)).toMatchObject({ status: 'rejected' })
    const again = await tributary(
      ['referral', 'approve', '--account', String(programme.accountId), '--id', id],
      env,
    )
    expect(again).toMatchObject({ code: 1, stderr: "The referral is rejected and can't be approved.\n" })
  })

  test('doctor finds nothing wrong with all this', async () => {
    expect(await must(['doctor'], env)).not.toContain('FAIL')
  })
})

describe('webhooks', () => {
  test('are tested, listed, sent again, switched off and on, and replayed', async () => {
    const { port } = receiver.address() as AddressInfo
    const endpoint = await client.webhookEndpoints.create({
      url: `http://127.0.0.1:${port}/`,
      events: ['commission.created'],
    })
    const on = ['--endpoint', String(endpoint.id)]
    const arrived = (count: number) => until(`${count} deliveries`, () => received.length >= count)

    const { delivery_id } = await run('webhook', 'test', ...on)
    await arrived(1)
    expect(received[0]?.headers['tributary-test']).toBe('true')
    const [listed] = await run('webhook', 'deliveries', ...on, '--limit', '1')
    expect(listed).toMatchObject({ id: delivery_id, event_kind: 'commission.created', is_test: true })

    await run('webhook', 'redeliver', '--id', String(delivery_id))
    await arrived(2)
    expect(received[1]?.body).toBe(received[0]?.body)

    expect(await run('webhook', 'disable', ...on)).toMatchObject({ id: endpoint.id, status: 'disabled' })
    const refused = await tributary(['webhook', 'test', '--account', String(programme.accountId), ...on], env)
    expect(refused).toMatchObject({ code: 1, stderr: 'The webhook endpoint is disabled. Enable it first.\n' })
    expect(await run('webhook', 'enable', ...on)).toMatchObject({ status: 'active' })

    // The events of the sales and the adjustment above were published before the endpoint existed.
    expect(await run('webhook', 'replay', ...on, '--after-event', '0')).toEqual({ deliveries: 3 })
    await arrived(5)
    const replayed = received.slice(2).map(({ body }) => JSON.parse(body).data.amount_minor)
    expect(replayed.toSorted((a, b) => a - b)).toEqual([-500, 1000, 2000])
    expect(await run('webhook', 'replay', ...on, '--since', '2999-01-01T00:00:00Z')).toEqual({
      deliveries: 0,
    })
  })
})
