/** Protects accounts from each other: with its own key, one never sees, names or changes a byte of another's rows. */
import { type Operation, operations } from '@tributary/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reportMeasurement } from '../../../testing/size.ts'
import { TestClient } from '../client.ts'
import {
  buildAccount,
  buildAffiliate,
  buildCampaign,
  buildCommission,
  buildPayout,
  buildReferral,
  type Place,
  type TestAccount,
} from '../factories.ts'
import { useScene } from '../harness.ts'

const scene = useScene()
const MARK = 'foreign-mark'
let foreign: TestAccount
let theirs: TestClient
let place: Place
const ids: Record<string, number> = {}

beforeAll(async () => {
  const { database } = scene
  foreign = await buildAccount(database)
  theirs = new TestClient(scene.app.url, foreign.key)
  const campaign = await buildCampaign(database, foreign.id, { name: MARK })
  const affiliate = await buildAffiliate(database, foreign.id, campaign.id, {
    email: `${MARK}@example.com`,
    name: MARK,
    token: MARK,
    coupon_code: MARK,
    tags: [MARK],
  })
  place = { account_id: foreign.id, campaign_id: campaign.id, affiliate_id: affiliate.id }
  ids.campaigns = campaign.id
  ids.affiliates = affiliate.id
  ids.referrals = await buildReferral(database, place, { customer_ref: MARK })
  ids.commissions = await buildCommission(database, place, { description: MARK, referral_id: ids.referrals })
  ids.payouts = await buildPayout(database, place)
  const hook = { url: `https://${MARK}.example/`, events: ['payout.paid'] }
  ids.webhook_endpoints = (await theirs.post('/webhook_endpoints', hook)).body.id
})

const snapshot = async () => {
  const tables = [
    'accounts',
    'api_keys',
    'campaigns',
    'commission_rules',
    'affiliates',
    'enrolments',
    'referrals',
    'commissions',
    'payouts',
    'payout_items',
    'webhook_endpoints',
    'magic_links',
  ]
  const owned = (table: string) => (table === 'accounts' ? 'id' : 'account_id')
  const rows = await Promise.all(
    tables.map(table =>
      scene.database.owner.query(
        `SELECT to_jsonb(t) - 'last_used_at' AS row FROM ${table} t WHERE ${owned(table)} = $1 ORDER BY 1`,
        [foreign.id],
      ),
    ),
  )
  return rows.map(result => result.rows)
}

const withId = Object.entries<Operation>(operations).filter(([, { path }]) => path.includes('{id}'))
const bodies: Record<string, object> = {
  updateAffiliate: { status: 'approved', name: 'stolen', token: 'stolen' },
  updateCommission: { status: 'void' },
}

let leaks = 0
afterAll(() =>
  reportMeasurement({
    row: 14,
    what: `of ${withId.length} operations with an id leaked data of a foreign one`,
    value: leaks,
    bar: '0',
    holds: leaks === 0,
  }),
)

describe.each(withId)('%s', (operationId, { method, path }) => {
  const noun = path.split('/')[3] as string

  it('answers a foreign id as one that does not exist, and changes nothing', async () => {
    const before = await snapshot()
    const send = (id: unknown) =>
      scene.api.send(
        method,
        path.slice('/api/v1'.length).replace('{id}', String(id)),
        bodies[operationId] ? { body: bodies[operationId] } : {},
      )
    const [answer, unknown] = [await send(ids[noun]), await send(987_654_321)]
    if (answer.status !== 404 || answer.text !== unknown.text) leaks++
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    expect(answer.text).toBe(unknown.text)
    expect(answer.text).not.toContain(MARK)
    expect(await snapshot()).toEqual(before)
  })
})

it.each(['affiliates', 'campaigns', 'referrals', 'commissions', 'payouts'])(
  '%s are found with the key they belong to',
  async noun => {
    const { status, body } = await theirs.get(`/${noun}/${ids[noun]}`)
    expect([status, body.id]).toEqual([200, ids[noun]])
  },
)

describe('lists', () => {
  const nouns = ['affiliates', 'campaigns', 'referrals', 'commissions', 'payouts', 'webhook_endpoints']
  it.each(nouns)('%s hold no foreign row, and theirs hold only their own', async noun => {
    const mine = await scene.api.get(`/${noun}?limit=100`)
    expect(mine.text).not.toContain(MARK)
    expect(mine.body.data.map(({ id }: { id: number }) => id)).not.toContain(ids[noun])
    const others = await theirs.get(`/${noun}?limit=100`)
    expect(others.body.data.map(({ id }: { id: number }) => id)).toEqual([ids[noun]])
  })

  it.each<[string, () => string]>([
    ['affiliates by campaign_id', () => `/affiliates?campaign_id=${place.campaign_id}`],
    ['affiliates by email', () => `/affiliates?email=${MARK}@example.com`],
    ['affiliates by tag', () => `/affiliates?tag=${MARK}`],
    ['referrals by campaign_id', () => `/referrals?campaign_id=${place.campaign_id}`],
    ['referrals by affiliate_id', () => `/referrals?affiliate_id=${place.affiliate_id}`],
    ['referrals by customer_ref', () => `/referrals?customer_ref=${MARK}`],
    ['commissions by campaign_id', () => `/commissions?campaign_id=${place.campaign_id}`],
    ['commissions by affiliate_id', () => `/commissions?affiliate_id=${place.affiliate_id}`],
    ['commissions by referral_id', () => `/commissions?referral_id=${ids.referrals}`],
    ['payouts by campaign_id', () => `/payouts?campaign_id=${place.campaign_id}`],
  ])('%s of another account are empty', async (_what, path) => {
    expect((await scene.api.get(path())).body).toEqual({ data: [], has_more: false })
    expect((await theirs.get(path())).body.data).toHaveLength(1)
  })

  it('begin after a foreign id as after any other', async () => {
    const after = Math.max(...Object.values(ids)) + 1000
    expect((await scene.api.get(`/affiliates?starting_after=${after}`)).body.data).toHaveLength(1)
  })
})

it('a foreign campaign in a body is one that does not exist', async () => {
  const before = await snapshot()
  const attempt = (campaign_id: number) =>
    scene.api.post('/affiliates', { email: 'mine@example.com', campaign_id })
  const [answer, unknown] = [await attempt(place.campaign_id), await attempt(987_654_321)]
  expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_failed'])
  expect(answer.text).toBe(unknown.text)
  expect(await snapshot()).toEqual(before)
})

it('the same email, token and coupon code may stand in two accounts', async () => {
  const { status, body } = await scene.api.post('/affiliates', {
    email: `${MARK}@example.com`,
    campaign_id: scene.place.campaign_id,
    token: MARK,
    coupon_code: MARK,
  })
  expect(status).toBe(201)
  expect(body.id).not.toBe(place.affiliate_id)
  expect((await theirs.get(`/affiliates/${place.affiliate_id}`)).body.campaign_ids).toEqual([
    place.campaign_id,
  ])
})

it('one Idempotency-Key in two accounts is two', async () => {
  const options = { headers: { 'idempotency-key': 'the same' } }
  const hook = { url: 'https://same.example/', events: ['payout.paid'] }
  const [mine, other] = [
    await scene.api.post('/webhook_endpoints', hook, options),
    await theirs.post('/webhook_endpoints', hook, options),
  ]
  expect([mine.status, other.status]).toEqual([201, 201])
  expect(mine.body.secret).not.toBe(other.body.secret)
})
