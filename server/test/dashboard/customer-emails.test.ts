/**
 * Customers' email addresses are kept only by accounts that want it, found by any part of them, shown to the team alone, and erased when the
 * account keeps them no longer.
 */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { eraseEmails } from '../../src/earning/customers/customer-email.store.ts'
import { eraseUnkeptEmails } from '../../src/earning/customers/keep-emails.ts'
import { createAccount } from '../../src/programme/accounts/create-account.ts'
import { type Billing, connectStripe, newCustomer, send, work } from '../connectors/scene.ts'
import { customer as customerOf, event, session } from '../connectors/stripe-objects.ts'
import { buildAccount, unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { approvedAffiliate, convert, openCampaign } from '../ledger/scene.ts'
import { PortalBrowser } from '../portal/affiliate.ts'
import { beacon } from '../tracking/scene.ts'
import { Person } from './person.ts'

const scene = useOwnScene()
let admin: Person
let campaignId: number
let affiliate: Awaited<ReturnType<typeof approvedAffiliate>>
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'owner')
  campaignId = (await openCampaign(scene.database, scene.account.id)).id
  affiliate = await approvedAffiliate(scene, campaignId)
})
const keep = (keeps: boolean) => admin.call('updateTracking', { body: { keeps_customer_emails: keeps } })
beforeEach(async () => {
  expect((await keep(true)).status).toBe(200)
})

const address = () => `${unique('Anna')}@Shop.example`
const rows = async (text: string, values: unknown[] = []) =>
  (await scene.database.owner.query(text, values)).rows
const stored = async (customer: string): Promise<string | undefined> =>
  (
    await rows('SELECT email FROM customer_emails WHERE account_id = $1 AND customer_ref = $2', [
      scene.account.id,
      customer,
    ])
  )[0]?.email

/** Reports a conversion of a new customer and returns the reference. */
async function report(parts: Record<string, unknown> = {}, customer = unique('customer')): Promise<string> {
  const { status } = await convert(scene.api, {
    campaign_id: campaignId,
    customer_ref: customer,
    token: affiliate.token,
    ...parts,
  })
  expect(status).toBeLessThan(300)
  return customer
}
const found = async (text: string, person = admin) => {
  const list = (await person.call('listReferrals', { query: { customer_ref: text } })).body
  const { customers } = (await person.call('search', { query: { q: text } })).body
  return {
    list: list.data.map((row: { customer_ref: string }) => row.customer_ref),
    palette: customers.map((row: { customer_ref: string }) => row.customer_ref),
  }
}

async function visit() {
  const visitor = { account: scene.account.slug, visitor_id: unique('visitor-0123456789') }
  const { body } = await beacon(scene, { ...visitor, token: affiliate.token })
  return { ...visitor, click_id: body.click_id }
}
const leave = async (visitor: object, email: string) =>
  expect((await beacon(scene, { ...visitor, email }, {}, { path: '/t/leads' })).status).toBe(201)

describe('a reported address', () => {
  it('is kept as written, and found by any part of it in any case, in the lists, the file and the palette', async () => {
    const email = address()
    const customer = await report({ customer_email: email })
    expect(await stored(customer)).toBe(email)
    for (const part of [email, email.toUpperCase(), email.slice(2, -4), ` ${email.slice(0, -8)}`.trim()])
      expect([part, await found(part)]).toEqual([part, { list: [customer], palette: [customer] }])
    expect(await found(`${email.slice(0, 6)}%`)).toEqual({ list: [], palette: [] })
    const { body } = await admin.call('listReferrals', { query: { customer_ref: email } })
    expect(body.data[0].customer_email).toBe(email)
    expect((await admin.call('getReferral', { id: body.data[0].id })).body.customer_email).toBe(email)
    const file = await admin.call('exportReferrals', { query: { customer_ref: email.slice(0, -4) } })
    expect(file.text).toContain(email)
  })

  it('is found by its parts in the palette when a thousand customers are newer', async () => {
    const email = address()
    const customer = await report({ customer_email: email })
    await scene.database.owner.query(
      `INSERT INTO referrals (account_id, campaign_id, affiliate_id, customer_ref, status, occurred_at)
       SELECT account_id, campaign_id, affiliate_id, $2 || n, status, occurred_at
         FROM referrals, generate_series(1, 1000) n WHERE account_id = $1 AND customer_ref = $3`,
      [scene.account.id, unique('newer'), customer],
    )
    expect((await found(email.slice(1, -3))).palette).toEqual([customer])
  })

  it('is replaced by a later one, and stays if none is reported', async () => {
    const [first, second] = [address(), address()]
    const customer = await report({ customer_email: first })
    await report({}, customer)
    expect(await stored(customer)).toBe(first)
    await report({ customer_email: second }, customer)
    expect(await stored(customer)).toBe(second)
  })

  it('of an unattributed conversion is found in its list', async () => {
    const email = address()
    const customer = await report({ customer_email: email, token: 'unknown' })
    const { body } = await admin.call('listUnattributed', { query: { customer_ref: email.slice(1, -3) } })
    expect(body.data).toMatchObject([{ customer_ref: customer, customer_email: email }])
    expect((await admin.call('exportUnattributed', { query: {} })).text).toContain(email)
  })

  it('is never in the API, in an event, or shown to the affiliate or another account', async () => {
    const email = address()
    const customer = await report({ customer_email: email })
    const [referral] = await rows('SELECT id FROM referrals WHERE customer_ref = $1', [customer])
    const texts = [
      JSON.stringify((await scene.api.get(`/referrals/${referral.id}`)).body),
      JSON.stringify((await scene.api.get('/referrals')).body),
      ...(await rows('SELECT body FROM events')).map(row => row.body),
    ]
    const portal = await PortalBrowser.signIn(scene, affiliate.id)
    for (const answer of [
      await portal.call('listReferrals'),
      await portal.call('getReferral', { id: Number(referral.id) }),
    ])
      texts.push(JSON.stringify(answer.body))
    expect(texts.filter(text => text.includes(customer)).length).toBeGreaterThan(2)
    expect(texts.filter(text => text.toLowerCase().includes(email.toLowerCase()))).toEqual([])
    const other = await buildAccount(scene.database)
    await scene.database.owner.query('UPDATE accounts SET keeps_customer_emails = true WHERE id = $1', [
      other.id,
    ])
    expect(await found(email, await Person.join(scene.app, other.id, 'owner'))).toEqual({
      list: [],
      palette: [],
    })
  })
})

describe('an address that a visitor left', () => {
  it('is the customer’s whose conversion names the click, whichever is reported first', async () => {
    for (const isLeadFirst of [true, false]) {
      const [visitor, email] = [await visit(), address()]
      if (isLeadFirst) await leave(visitor, email)
      const customer = await report({ click_id: visitor.click_id, token: undefined })
      if (!isLeadFirst) await leave(visitor, email)
      expect([isLeadFirst, await stored(customer)]).toEqual([isLeadFirst, email])
    }
  })

  it('does not replace what the merchant reported', async () => {
    const [visitor, email] = [await visit(), address()]
    const customer = await report({ click_id: visitor.click_id, token: undefined, customer_email: email })
    await leave(visitor, address())
    await report({ click_id: visitor.click_id, token: undefined }, customer)
    expect(await stored(customer)).toBe(email)
  })
})

describe('a billing system', () => {
  let billing: Billing
  const report = async (customer: string, parts: object) => {
    const now = Math.floor(Date.now() / 1000)
    await send(
      scene,
      billing,
      event('customer.updated', customerOf(customer, { created: now, ...parts }), now),
    )
    await work(scene)
  }
  beforeAll(async () => {
    billing = await connectStripe(scene)
  })

  it('reports the address with the referral or later', async () => {
    const metadata = { via: billing.affiliate.token }
    const [first, second] = [newCustomer(), newCustomer()]
    const emails = [address(), address()]
    await report(first, { metadata, email: emails[0] })
    await report(second, { metadata })
    expect(await stored(second)).toBeUndefined()
    // A checkout that names no affiliate.
    const now = Math.floor(Date.now() / 1000)
    const bought = session(unique('cs'), {
      customer: second,
      customer_email: emails[1] as string,
      created: now,
    })
    await send(scene, billing, event('checkout.session.completed', bought, now))
    await work(scene)
    expect([await stored(first), await stored(second)]).toEqual(emails)
  })

  it('reports none that is kept of a customer who was not referred, or that is no address', async () => {
    const [stranger, referred] = [newCustomer(), newCustomer()]
    await report(stranger, { email: address() })
    await report(referred, {
      metadata: { via: billing.affiliate.token },
      email: `${'x'.repeat(300)}@a.example`,
    })
    expect([await stored(stranger), await stored(referred)]).toEqual([undefined, undefined])
  })
})

describe('an account that keeps none', () => {
  it('is one that existed before; a new one keeps them', async () => {
    const { id } = await buildAccount(scene.database)
    const person = await Person.join(scene.app, id, 'owner')
    expect((await person.call('getTracking')).body.keeps_customer_emails).toBe(false)
    const created = await createAccount(scene.database.db, {
      name: 'New',
      slug: unique('new'),
      email: `${unique('owner')}@example.com`,
      password: 'a long enough password',
    })
    const [row] = await rows('SELECT keeps_customer_emails AS keeps FROM accounts WHERE id = $1', [
      created.account_id,
    ])
    expect(row.keeps).toBe(true)
  })

  it('has what it kept erased, with an entry in the audit log, and stores nothing new', async () => {
    const [email, visitor, left] = [address(), await visit(), address()]
    const customer = await report({ customer_email: email })
    await leave(visitor, left)
    expect((await keep(false)).body.keeps_customer_emails).toBe(false)
    const kept = () =>
      rows(
        `SELECT email FROM customer_emails WHERE account_id = $1
         UNION ALL SELECT email FROM tracked_leads WHERE account_id = $1 AND (email IS NOT NULL OR email_key IS NOT NULL)`,
        [scene.account.id],
      )
    expect(await kept()).toEqual([])
    expect(await found(email.slice(0, -2))).toEqual({ list: [], palette: [] })
    await report({ customer_email: email })
    await report({ customer_email: address() }, customer)
    await leave(visitor, address())
    expect(await kept()).toEqual([])
    const [entry] = await rows(
      `SELECT details FROM audit_log WHERE account_id = $1 AND action = 'tracking.update' ORDER BY id DESC LIMIT 1`,
      [scene.account.id],
    )
    expect(entry.details).toMatchObject({
      keeps_customer_emails: false,
      before: { keeps_customer_emails: true },
    })
    // The complete address of a lead is still recognized by its hash.
    const referred = await report({ click_id: visitor.click_id, token: undefined })
    expect((await found(left)).list).toEqual([referred])
  })

  it('shows none that is not erased yet, and they do not return', async () => {
    const email = address()
    const customer = await report({ customer_email: email })
    await scene.database.owner.query('UPDATE accounts SET keeps_customer_emails = false WHERE id = $1', [
      scene.account.id,
    ])
    expect(await found(email)).toEqual({ list: [], palette: [] })
    const { body } = await admin.call('listReferrals', { query: { customer_ref: customer } })
    expect(body.data).toMatchObject([{ customer_email: null }])
    expect((await keep(true)).status).toBe(200)
    expect(await found(email)).toEqual({ list: [], palette: [] })
  })

  it('may have too many to erase at once: the rest follows, and until then the setting stays off', async () => {
    const many = `INSERT INTO customer_emails (account_id, customer_ref, email, email_key)
       SELECT $1, 'many-' || n, 'many' || n || '@x.example', 'many' || n || '@x.example' FROM generate_series(1, 20001) n`
    await rows(many, [scene.account.id])
    expect((await keep(false)).status).toBe(200)
    expect((await keep(true)).body.error).toMatchObject({ code: 'invalid_state' })
    await eraseUnkeptEmails(scene.database.db)
    expect(await rows('SELECT 1 FROM customer_emails WHERE account_id = $1', [scene.account.id])).toEqual([])
    expect((await keep(true)).status).toBe(200)
  })

  it('has an address erased that was being stored meanwhile, without either waiting for the other', async () => {
    const email = address()
    const customer = await report({ customer_email: email })
    const isErased = await whileHeld(
      scene.database,
      tx => tx.many(sql`UPDATE customer_emails SET email = 'a@b.example' WHERE customer_ref = ${customer}`),
      async () => {
        await scene.database.owner.query('UPDATE accounts SET keeps_customer_emails = false WHERE id = $1', [
          scene.account.id,
        ])
        expect((await keep(true)).body.error).toMatchObject({ code: 'invalid_state' })
        return scene.database.db.transaction(tx => eraseEmails(tx, scene.account.id))
      },
      async () =>
        expect(await rows('SELECT 1 FROM customer_emails WHERE customer_ref = $1', [customer])).toHaveLength(
          1,
        ),
    )
    expect(isErased).toBe(true)
    await eraseUnkeptEmails(scene.database.db)
    expect(await stored(customer)).toBeUndefined()
    for (const _ of ['on', 'on already']) expect((await keep(true)).status).toBe(200)
  })

  it('needs the permission to change settings', async () => {
    const viewer = await Person.join(scene.app, scene.account.id, 'viewer')
    const answer = await viewer.call('updateTracking', { body: { keeps_customer_emails: false } })
    expect(answer.status).toBe(403)
  })
})
