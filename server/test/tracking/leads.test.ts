/** An email is linked to a click only by the visitor whose click it is, a few times, and can't be read back. */
import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { deleteOldLeads } from '../../src/earning/tracking/lead.store.ts'
import { SecretBox } from '../../src/kit/secret-box.ts'
import { buildAccount, buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { TEST_SECRET_KEY } from '../harness.ts'
import { beacon, errorOf, useTracking } from './scene.ts'

const scene = useTracking({ TRIBUTARY_TRUST_PROXY: 'true' })
const leadKey = new SecretBox(TEST_SECRET_KEY).key('lead email')

interface Visit {
  account: string
  visitor_id: string
  click_id: number
}
let networks = 0
/** A separate network, so that the limit of one test is not that of another. */
const elsewhere = () => ({ 'x-forwarded-for': `203.${Math.floor(++networks / 250)}.${networks % 250}.7` })

async function visit(account = scene.account.slug, token = scene.affiliate.token): Promise<Visit> {
  const visitor = { account, visitor_id: unique('visitor-0123456789') }
  const { body } = await beacon(scene, { ...visitor, token })
  return { ...visitor, click_id: body.click_id }
}
const send = (lead: object, headers: Record<string, string> = elsewhere()) =>
  beacon(scene, lead, headers, { path: '/t/leads' })
/** The click of an email, found as the holder of the key finds it. */
const clickOf = async (email: string, accountId = scene.account.id): Promise<number | undefined> => {
  const hash = createHmac('sha256', leadKey).update(`${accountId}:${email.toLowerCase()}`).digest()
  const { rows } = await scene.database.owner.query(
    'SELECT click_id::integer FROM tracked_leads WHERE account_id = $1 AND email_hash = $2',
    [accountId, hash],
  )
  return rows[0]?.click_id
}
const rows = async () =>
  (await scene.database.owner.query('SELECT * FROM tracked_leads ORDER BY created_at')).rows
const address = () => `${unique('lead')}@example.com`

it('links the email to the click, however it is written, once for all repetitions', async () => {
  const own = await visit()
  const before = (await rows()).length
  for (const email of ['Ada@Example.com', 'ada@example.com', 'ADA@EXAMPLE.COM']) {
    const { status, body, headers } = await send(
      { ...own, email },
      { ...elsewhere(), origin: 'https://shop.example' },
    )
    expect([status, body, headers['access-control-allow-origin']]).toEqual([201, {}, 'https://shop.example'])
  }
  expect((await rows()).length).toBe(before + 1)
  expect(await clickOf('aDa@example.com')).toBe(own.click_id)
  expect(await clickOf('other@example.com')).toBeUndefined()
})

it('stores nothing that the email can be read from', async () => {
  await send({ ...(await visit()), email: 'grace@example.com' })
  const stored = JSON.stringify((await rows()).map(row => [...Object.values(row), String(row.email_hash)]))
  expect(stored).not.toContain('grace')
  const { rows: plain } = await scene.database.owner.query(
    `SELECT 1 FROM tracked_leads WHERE email_hash IN (sha256('grace@example.com'), convert_to('grace@example.com', 'UTF8'))`,
  )
  expect(plain).toEqual([])
})

describe('an email of several clicks', () => {
  it('is of the newest, in whichever order they are reported', async () => {
    const [older, newer] = [await visit(), await visit()]
    for (const order of [
      [older, newer],
      [newer, older],
    ]) {
      const email = address()
      for (const each of order) expect((await send({ ...each, email })).status).toBe(201)
      expect(await clickOf(email)).toBe(newer.click_id)
    }
  })

  it('and of both at once, too', async () => {
    const visits = await Promise.all(Array.from({ length: 8 }, () => visit()))
    const email = address()
    const answers = await Promise.all(visits.map(each => send({ ...each, email })))
    expect(answers.map(({ status }) => status)).toEqual(visits.map(() => 201))
    expect(await clickOf(email)).toBe(Math.max(...visits.map(({ click_id }) => click_id)))
  })
})

describe('a click', () => {
  it('has five emails at most, however many arrive at once', async () => {
    const own = await visit()
    const answers = await Promise.all(Array.from({ length: 20 }, () => send({ ...own, email: address() })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(15)
    const stored = (await rows()).filter(({ click_id }) => Number(click_id) === own.click_id)
    expect(stored).toHaveLength(5)
  })
})

describe('422 and no lead for', () => {
  let own: Visit
  let foreign: Visit
  let foreignAccount: number
  beforeAll(async () => {
    own = await visit()
    const { database } = scene
    const account = await buildAccount(database)
    foreignAccount = account.id
    const campaign = await buildCampaign(database, account.id)
    const { token } = await buildAffiliate(database, account.id, campaign.id)
    foreign = await visit(account.slug, token)
  })

  it.each<[string, string, () => object]>([
    ['an unknown account', 'account', () => ({ ...own, account: 'unknown' })],
    ['an unknown click', 'click_id', () => ({ ...own, click_id: Number.MAX_SAFE_INTEGER })],
    ['another visitor’s click', 'click_id', () => ({ ...own, visitor_id: unique('visitor-0123456789') })],
    ['another account’s click', 'click_id', () => ({ ...foreign, account: own.account })],
    ['no click', 'click_id', () => ({ ...own, click_id: undefined })],
    ['no email', 'email', () => ({ ...own, email: undefined })],
    ['what is no email', 'email', () => ({ ...own, email: 'ada' })],
    ['two emails', 'email', () => ({ ...own, email: 'a@example.com,b@example.com' })],
    ['a long email', 'email', () => ({ ...own, email: `${'a'.repeat(250)}@b.co` })],
    ['a NUL', 'email', () => ({ ...own, email: 'a\0@example.com' })],
    ['an unknown field', 'name', () => ({ ...own, name: 'Ada' })],
  ])('%s, naming %s', async (_, field, lead) => {
    const before = await rows()
    const { status, body } = await send({ email: address(), ...lead() })
    expect([status, body]).toEqual([422, errorOf('validation_failed')])
    expect(body.error.message).toContain(field)
    expect(await rows()).toEqual(before)
  })

  it('a page that is not the merchant’s', async () => {
    const email = address()
    const answer = await send({ ...own, email }, { ...elsewhere(), origin: 'https://evil.example' })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([422, undefined])
    expect(await clickOf(email)).toBeUndefined()
  })

  it('and an email is known to one account only', async () => {
    const email = address()
    await send({ ...own, email })
    expect([await clickOf(email), await clickOf(email, foreignAccount)]).toEqual([own.click_id, undefined])
  })
})

it('takes 60 a minute from one network, and then says when to come back', async () => {
  const own = await visit()
  const from = elsewhere()
  const lead = { ...own, email: address() }
  for (let sent = 0; sent < 60; sent++) expect((await send(lead, from)).status).toBe(201)
  const { status, body, headers } = await send(lead, from)
  expect([status, body]).toEqual([429, errorOf('rate_limited')])
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect((await send(lead)).status).toBe(201)
})

it('is kept as long as clicks are', async () => {
  const [kept, old] = [address(), address()]
  const own = await visit()
  for (const email of [old, kept]) await send({ ...own, email })
  await scene.database.owner.query(
    `UPDATE tracked_leads SET created_at = now() - interval '31 days'
      WHERE account_id = $1 AND ctid = (SELECT ctid FROM tracked_leads WHERE click_id = $2 ORDER BY created_at LIMIT 1)`,
    [scene.account.id, own.click_id],
  )
  await deleteOldLeads(scene.database.db, 30)
  expect([await clickOf(old), await clickOf(kept)]).toEqual([undefined, own.click_id])
})
