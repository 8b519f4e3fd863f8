/**
 * Protects credit rewards at Stripe: the balance of a customer changes once by what the ledger says, whatever fails in between, and what
 * refunds take is taken back.
 */
import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pdfPages } from '../../../testing/pdf-text.ts'
import { claimCredit } from '../../src/connectors/credits/credit.store.ts'
import { grantCredits } from '../../src/connectors/credits/grant-credits.ts'
import { addConnector } from '../../src/connectors/manage-connectors.ts'
import type { Db } from '../../src/db/database.ts'
import { reverseRefund } from '../../src/earning/refunds/reverse-refund.ts'
import type { Reward } from '../../src/programme/campaigns/campaign.ts'
import { Person } from '../dashboard/person.ts'
import { buildAccount, unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { approvedAffiliate, flat, openCampaign, useRate } from '../ledger/scene.ts'
import { PortalBrowser } from '../portal/affiliate.ts'
import { FakeCustomers } from './fake-customers.ts'
import { FakeStripe } from './fake-stripe.ts'
import { type Billing, connectStripe, SECRET, send, work } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const scene = useOwnScene()
const customers = new FakeCustomers()
const fake = new FakeStripe('rk_live', customers.handle)
const referee: Reward = flat(1000, 'USD', { beneficiary: 'referee', entryType: 'credit' })
const referrer: Reward = flat(500, 'USD', { beneficiary: 'referrer', entryType: 'credit' })
let billing: Billing
let admin: Person
beforeAll(async () => {
  const terms = { program_type: 'referral' as const, rewards: [referee] }
  billing = await connectStripe(scene, { apiKey: 'rk_live', apiUrl: await fake.start(), terms })
  admin = await Person.join(scene.app, scene.account.id, 'admin')
  expect((await switchTo(true)).body).toMatchObject({ grants_credit: true })
})
afterAll(() => fake.stop())

const calls = (db: Db = scene.database.db) => ({ db, secrets: scene.app.services.secrets })
const grant = (runMs = 60_000) => grantCredits(calls(), runMs)
/** Writes down what is to be changed, and makes no call. */
const plan = () => grant(0)
const switchTo = (is_on: boolean) =>
  admin.call('setConnectorCredits', { id: billing.connector.id, body: { is_on } })
/** Lets the wait before the next attempt, or the lease of a process that died, pass. */
const passWait = () =>
  scene.database.owner.query('UPDATE connector_credits SET due_at = now() WHERE due_at IS NOT NULL')
const listed = async (customer: string) => {
  const { body } = await admin.call('listConnectorCredits', {
    id: billing.connector.id,
    query: { limit: 100 },
  })
  return body.data.filter((credit: { customer: string }) => credit.customer === customer).toReversed()
}
const failures = async () => {
  const { body } = await admin.call('listConnectorCredits', {
    id: billing.connector.id,
    query: { limit: 100 },
  })
  return body.data.filter(({ status }: { status: string }) => status === 'failed')
}
const detail = async (id: number) => (await admin.call('getCommission', { id })).body
/** The description of an entry, wherever the company reads the ledger. */
async function descriptionOf(id: number): Promise<string> {
  const { description, affiliate_id } = (await scene.api.get(`/commissions/${id}`)).body
  const listed = await scene.api.get(`/commissions?affiliate_id=${affiliate_id}&limit=100`)
  const page = await admin.call('listCommissions', { query: { affiliate_id, limit: 100 } })
  for (const rows of [listed.body.data, page.body.data])
    expect(rows).toContainEqual(expect.objectContaining({ id, description }))
  expect(await detail(id)).toMatchObject({ description })
  const file = await admin.call('exportCommissions', { query: { affiliate_id } })
  expect(file.text).toContain(description)
  return description
}
const idOfLast = (customer: string) => customers.transactions.findLast(made => made.customer === customer)?.id

interface Bought {
  customer: string
  invoice: string
  commissionId: number
}

/** A referred customer pays $100, and the first credit entry of that. */
async function buy(
  { affiliate }: Pick<Billing, 'affiliate'> = billing,
  parts: Partial<Stripe.Customer> = {},
): Promise<Bought> {
  const customer = customers.add(parts)
  const invoice = unique('in')
  const session = { customer, client_reference_id: affiliate.token }
  await send(
    scene,
    billing,
    stripe.event('checkout.session.completed', stripe.session(unique('cs'), session), stripe.START),
    stripe.event('invoice.paid', stripe.invoice(invoice, { customer }), stripe.START),
  )
  await work(scene)
  const { rows } = await scene.database.owner.query(
    `SELECT min(c.id)::integer AS id FROM commissions c JOIN sales s ON s.account_id = c.account_id AND s.id = c.sale_id
      WHERE c.account_id = $1 AND s.external_id = $2 AND c.entry_type = 'credit'`,
    [scene.account.id, `stripe:${invoice}`],
  )
  expect(rows[0].id).toEqual(expect.any(Number))
  return { customer, invoice, commissionId: rows[0].id }
}

const refund = async ({ invoice }: Bought, amount_minor?: number): Promise<string> => {
  const external_id = unique('refund')
  const body = { external_id, sale_external_id: `stripe:${invoice}`, ...(amount_minor && { amount_minor }) }
  expect((await scene.api.post('/ingest/v1/refunds', body)).status).toBe(201)
  return external_id
}

it('grants approved credit once, and shows it on the commission', async () => {
  const { customer, commissionId, invoice } = await buy()
  expect(await descriptionOf(commissionId)).toBe(`Sale stripe:${invoice}`)
  await Promise.all([grant(), grant(), grant()])
  await grant()
  expect(customers.changes(customer)).toEqual([[-1000, 'usd']])
  const made = customers.transactions.at(-1)
  const shown = {
    amount_minor: 1000,
    currency: 'USD',
    status: 'granted',
    customer,
    external_id: made?.id,
    problem: null,
  }
  expect(await listed(customer)).toMatchObject([shown])
  expect((await detail(commissionId)).credits).toMatchObject([shown])
  expect(made?.metadata).toMatchObject({ tributary_commission_id: String(commissionId) })
  expect(await descriptionOf(commissionId)).toBe(
    `Sale stripe:${invoice} · Added to the balance of ${customer} at Stripe (${made?.id})`,
  )
  // The contract of the API stays as it is.
  expect((await scene.api.get(`/commissions/${commissionId}`)).body).not.toHaveProperty('credits')
})

/** A refund that did not happen after all. */
const reverse = ({ invoice }: Bought, externalId: string) =>
  reverseRefund(scene.database.db, scene.account.id, { externalId, saleExternalId: `stripe:${invoice}` })

/** What an affiliate reads of their entries: the page, the statement as CSV and as PDF. */
async function readByAffiliate(id: number): Promise<string[]> {
  const browser = await PortalBrowser.signIn(scene, id)
  const page = await browser.ask('listCommissions', { query: { limit: 100 } })
  const { text } = await browser.call('downloadStatement')
  const pdf = pdfPages(await browser.ask('printStatement'))
  return [JSON.stringify(page), text, pdf.flat().join(' ')]
}

it('a referrer is found by their email', async () => {
  const terms = { program_type: 'referral' as const, rewards: [referrer] }
  const campaign = await openCampaign(scene.database, scene.account.id, terms)
  const affiliate = await approvedAffiliate(scene, campaign.id)
  const { commissionId, invoice } = await buy({ affiliate })
  await grant()
  const problem = `No customer at Stripe has the email ${affiliate.email}.`
  expect(await failures()).toMatchObject([{ customer: null, problem }])
  expect(await descriptionOf(commissionId)).toBe(`Sale stripe:${invoice} · Not granted at Stripe: ${problem}`)
  const theirs = customers.add({ email: affiliate.email })
  const twin = customers.add({ email: affiliate.email })
  await passWait()
  await grant()
  expect(await failures()).toMatchObject([
    { problem: `Several customers at Stripe have the email ${affiliate.email}.` },
  ])
  customers.customers.splice(
    customers.customers.findIndex(({ id }) => id === twin),
    1,
  )
  expect((await admin.call('retryConnectorCredits', { id: billing.connector.id, body: {} })).body).toEqual({
    credits: 1,
  })
  // Why a grant failed concerns the company only.
  for (const text of await readByAffiliate(affiliate.id)) expect(text).not.toContain('Stripe')
  await grant()
  expect(customers.changes(theirs)).toEqual([[-500, 'usd']])
  // Customers are masked, but it is their balance.
  const outcome = `Added to the balance of ${theirs} at Stripe (${idOfLast(theirs)})`
  for (const text of await readByAffiliate(affiliate.id)) {
    expect(text).toContain(outcome)
    expect(text).not.toContain(invoice)
  }
  const statement = await admin.call('downloadStatement', { id: affiliate.id })
  expect(statement.text).toContain(`Sale stripe:${invoice} · ${outcome}`)
})

it('waits for the hold, and grants nothing that is voided before', async () => {
  const terms = { program_type: 'referral' as const, rewards: [referee], hold_days: 3650 }
  const campaign = await openCampaign(scene.database, scene.account.id, terms)
  const affiliate = await approvedAffiliate(scene, campaign.id)
  const [held, voided] = [await buy({ affiliate }), await buy({ affiliate })]
  const refundId = await refund(voided)
  await grant()
  expect([customers.changes(held.customer), customers.changes(voided.customer)]).toEqual([[], []])
  await scene.api.patch(`/commissions/${held.commissionId}`, { status: 'approved' })
  await grant()
  const changes = () => [customers.changes(held.customer), customers.changes(voided.customer)]
  expect(changes()).toEqual([[[-1000, 'usd']], []])
  // What is given back of a void entry stands beside it, on hold.
  const [given] = (await reverse(voided, refundId)).commissions
  await grant()
  expect(changes()).toEqual([[[-1000, 'usd']], []])
  await scene.api.patch(`/commissions/${given?.id}`, { status: 'approved' })
  await grant()
  expect(changes()).toEqual([[[-1000, 'usd']], [[-1000, 'usd']]])
})

it('takes back the share of a refund, and gives it again if the refund did not happen', async () => {
  const bought = await buy()
  await grant()
  const given = `Sale stripe:${bought.invoice} · Added to the balance of ${bought.customer} at Stripe (${idOfLast(bought.customer)})`
  expect(await descriptionOf(bought.commissionId)).toBe(given)
  await refund(bought, 2500)
  expect(await descriptionOf(bought.commissionId)).toBe(given)
  await grant()
  const partly = `${given} · Partly taken back at Stripe (${idOfLast(bought.customer)})`
  expect(await descriptionOf(bought.commissionId)).toBe(partly)
  const rest = await refund(bought)
  await grant()
  expect(await descriptionOf(bought.commissionId)).toBe(
    `${partly} · Taken back at Stripe (${idOfLast(bought.customer)})`,
  )
  // Off and on in between: the entry is older than the switch, but was granted before.
  await switchTo(false)
  await switchTo(true)
  await reverse(bought, rest)
  await grant()
  expect(customers.changes(bought.customer)).toEqual([
    [-1000, 'usd'],
    [250, 'usd'],
    [750, 'usd'],
    [-750, 'usd'],
  ])
  expect((await detail(bought.commissionId)).credits).toMatchObject([
    { status: 'granted', amount_minor: 1000 },
    { status: 'taken_back', amount_minor: -250 },
    { status: 'taken_back', amount_minor: -750 },
    { status: 'granted', amount_minor: 750 },
  ])
})

it('grants only what is left after a refund that came first', async () => {
  const bought = await buy()
  await refund(bought, 2500)
  await grant()
  expect(customers.changes(bought.customer)).toEqual([[-750, 'usd']])
})

it('a change of the ledger while a change of the balance fails is not lost', async () => {
  const bought = await buy()
  customers.deleted.add(bought.customer)
  await grant()
  await refund(bought, 2500)
  await grant()
  customers.deleted.delete(bought.customer)
  await passWait()
  await grant()
  expect(customers.changes(bought.customer)).toEqual([[-750, 'usd']])
})

it('a refund while a change is recorded is taken back', async () => {
  const bought = await buy()
  await plan()
  await whileHeld(
    scene.database,
    tx => grantCredits(calls(tx)),
    async () => {
      await refund(bought, 2500)
      await grant()
    },
  )
  await grant()
  expect(customers.changes(bought.customer)).toEqual([
    [-1000, 'usd'],
    [250, 'usd'],
  ])
})

it('a change is taken by one of several processes', async () => {
  const { customer } = await buy()
  await plan()
  const second = await whileHeld(scene.database, claimCredit, () => claimCredit(scene.database.db))
  expect(second).toBeUndefined()
  await passWait()
  await grant()
  expect(customers.changes(customer)).toHaveLength(1)
})

it.each([['lost' as const], [500], [429]])(
  'one change exists after a call that ended in: %s',
  async fault => {
    const { customer } = await buy()
    // The library itself repeats a lost call twice, under the same key.
    fake.faults.push(...(fault === 'lost' ? [fault, fault, fault] : [fault]))
    await grant()
    expect(await listed(customer)).toMatchObject([{ status: 'failed', next_attempt_at: expect.any(String) }])
    await passWait()
    await grant()
    expect(await listed(customer)).toMatchObject([{ status: 'granted', problem: null }])
    expect(customers.changes(customer)).toEqual([[-1000, 'usd']])
  },
)

it('finds the change of a call whose answer was lost more than a day ago, also under another key', async () => {
  const { customer } = await buy()
  fake.faults.push('lost', 'lost', 'lost')
  await grant()
  fake.forgetKeys()
  // Others since then fill pages.
  const made = customers.transactions.at(-1) as Stripe.CustomerBalanceTransaction
  for (let more = 0; more < 5; more++)
    customers.transactions.push({ ...made, id: unique('cbtxn'), metadata: {} })
  fake.key = 'rk_revoked'
  await passWait()
  await grant()
  expect(await listed(customer)).toMatchObject([
    { status: 'failed', problem: expect.stringContaining('Invalid API Key provided') },
  ])
  fake.key = 'rk_live'
  await passWait()
  await grant()
  expect(await listed(customer)).toMatchObject([{ status: 'granted' }])
  const ours = customers.transactions.filter(
    each => each.customer === customer && each.metadata?.tributary_key,
  )
  expect(ours).toHaveLength(1)
})

it('one change exists after a process died between the call and its record', async () => {
  const { customer } = await buy()
  const { db } = scene.database
  let transactions = 0
  const dies = {
    many: db.many.bind(db),
    first: db.first.bind(db),
    transaction: (run: Parameters<Db['transaction']>[0]) =>
      transactions++ === 0 ? db.transaction(run) : Promise.reject(new Error('died')),
  } as unknown as Db
  await expect(grantCredits(calls(dies))).rejects.toThrow('died')
  expect(customers.changes(customer)).toHaveLength(1)
  // Its lease has not passed.
  await grant()
  expect(await listed(customer)).toMatchObject([{ status: 'pending' }])
  fake.forgetKeys()
  await passWait()
  await grant()
  expect(await listed(customer)).toMatchObject([{ status: 'granted' }])
  expect(customers.changes(customer)).toHaveLength(1)
})

it('says that the key was revoked, and goes on with another', async () => {
  const { customer } = await buy()
  fake.key = 'rk_new'
  await grant()
  expect(await failures()).toMatchObject([{ problem: expect.stringContaining('Invalid API Key provided') }])
  await admin.call('setConnectorSecrets', { id: billing.connector.id, body: { api_key: 'rk_new' } })
  await grant()
  expect(customers.changes(customer)).toHaveLength(1)
  expect(await failures()).toEqual([])
})

it('says that the customer was deleted, and tries again under another key', async () => {
  const { customer } = await buy()
  customers.deleted.add(customer)
  await grant()
  expect(await failures()).toMatchObject([{ problem: `Customer ${customer} was deleted at Stripe.` }])
  customers.deleted.delete(customer)
  await passWait()
  await grant()
  expect(customers.changes(customer)).toHaveLength(1)
  // Deleted after the credit was granted: taking it back fails, and says why.
  customers.deleted.add(customer)
  const { rows } = await scene.database.owner.query(
    `SELECT b.external_id FROM connector_sales b WHERE b.account_id = $1 AND b.customer = $2`,
    [scene.account.id, customer],
  )
  await scene.api.post('/ingest/v1/refunds', {
    external_id: unique('refund'),
    sale_external_id: rows[0].external_id,
  })
  await grant()
  expect(await failures()).toMatchObject([
    { amount_minor: -1000, problem: `Stripe's API: No such customer: '${customer}'` },
  ])
  customers.deleted.delete(customer)
  await passWait()
  await grant()
  expect(customers.changes(customer)).toEqual([
    [-1000, 'usd'],
    [1000, 'usd'],
  ])
})

it('converts to the currency of the customer, and takes back at the same rate', async () => {
  const bought = await buy(billing, { currency: 'eur' })
  await grant()
  expect(await failures()).toMatchObject([
    { problem: "The customer's balance is in EUR, and there is no exchange rate from USD." },
  ])
  await useRate(scene, 'USD', 'EUR', '0.9')
  await passWait()
  await grant()
  await useRate(scene, 'USD', 'EUR', '0.5', '2026-01-01')
  await refund(bought, 2500)
  await grant()
  expect(customers.changes(bought.customer)).toEqual([
    [-900, 'eur'],
    [225, 'eur'],
  ])
  expect(await listed(bought.customer)).toMatchObject([
    { amount_minor: 1000, currency: 'USD', balance_minor: 900, balance_currency: 'EUR' },
    { amount_minor: -250, currency: 'USD', balance_minor: -225, balance_currency: 'EUR' },
  ])
})

it('a change that was given up is tried again when the ledger changes', async () => {
  const bought = await buy()
  await grant()
  await refund(bought, 2500)
  fake.faults.push(403)
  await grant()
  expect(await failures()).toMatchObject([{ amount_minor: -250, problem: expect.any(String) }])
  await scene.database.owner.query('UPDATE connector_credits SET due_at = NULL, attempts = 20')
  await refund(bought)
  await grant()
  expect(customers.changes(bought.customer)).toEqual([
    [-1000, 'usd'],
    [250, 'usd'],
    [750, 'usd'],
  ])
})

it('a change that rounds to nothing in the currency of the customer needs no call', async () => {
  await useRate(scene, 'USD', 'GBP', '0.01')
  const bought = await buy(billing, { currency: 'gbp' })
  await grant()
  await refund(bought, 20)
  await grant()
  expect(await listed(bought.customer)).toMatchObject([
    { status: 'granted', balance_minor: 10 },
    { status: 'taken_back', amount_minor: -2, balance_minor: 0, external_id: null, problem: null },
  ])
  await refund(bought)
  await grant()
  expect(customers.changes(bought.customer)).toEqual([
    [-10, 'gbp'],
    [10, 'gbp'],
  ])
})

it('grants nothing in test mode', async () => {
  const bought = await buy(billing, { livemode: false })
  await grant()
  expect(await failures()).toMatchObject([
    { problem: `Customer ${bought.customer} is of Stripe's test mode. Use an API key of live mode.` },
  ])
  expect(customers.changes(bought.customer)).toEqual([])
  await refund(bought)
  await passWait()
  await grant()
  expect(await failures()).toEqual([])
  const { id } = (await admin.call('createConnector', { body: { provider: 'stripe' } })).body
  await admin.call('setConnectorSecrets', { id, body: { api_key: 'rk_test_1' } })
  const refused = await admin.call('setConnectorCredits', { id, body: { is_on: true } })
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('test mode')])
  expect((await admin.call('removeConnector', { id })).status).toBe(200)
})

it('waits for the review of the referral', async () => {
  const terms = { program_type: 'referral' as const, rewards: [referee], reviewsReferrals: true }
  const campaign = await openCampaign(scene.database, scene.account.id, terms)
  const affiliate = await approvedAffiliate(scene, campaign.id)
  const { customer, commissionId } = await buy({ affiliate })
  await scene.api.patch(`/commissions/${commissionId}`, { status: 'approved' })
  await grant()
  expect((await detail(commissionId)).credits).toMatchObject([{ status: 'pending', customer: null }])
  expect(customers.changes(customer)).toEqual([])
  const { referral } = await detail(commissionId)
  const body = { ids: [referral.id], status: 'approved' as const }
  expect((await admin.call('reviewReferrals', { body })).status).toBe(200)
  await passWait()
  await grant()
  expect(customers.changes(customer)).toHaveLength(1)
})

it('grants nothing for tests, nor what was earned while it was off, but takes back what it granted', async () => {
  const granted = await buy()
  await grant()
  const open = await buy()
  await switchTo(false)
  const earned = await buy()
  await refund(granted)
  await grant()
  await switchTo(true)
  await grant()
  expect(customers.changes(granted.customer)).toHaveLength(2)
  expect([customers.changes(open.customer), customers.changes(earned.customer)]).toEqual([[], []])
  const test = await buy()
  await scene.database.owner.query(
    'UPDATE referrals SET is_test = true WHERE account_id = $1 AND customer_ref = $2',
    [scene.account.id, test.customer],
  )
  await grant()
  expect(customers.changes(test.customer)).toEqual([])
})

const reject = async ({ commissionId }: Bought) => {
  const { referral } = await detail(commissionId)
  const body = { ids: [referral.id], status: 'rejected' as const }
  expect((await admin.call('reviewReferrals', { body })).status).toBe(200)
}
const remove = async () =>
  expect((await admin.call('removeConnector', { id: billing.connector.id })).status).toBe(200)
/** Adds a connector of the same Stripe account. */
const addAgain = async () => {
  const { app, account, database } = scene
  const connector = await addConnector(database.db, app.services.secrets, account.id, {
    provider: 'stripe',
    signingSecret: SECRET,
    apiKey: fake.key,
    apiUrl: billing.connector.api_url as string,
  })
  billing = { ...billing, connector }
}

it('takes back what a removed connector granted through one that is added again', async () => {
  const [first, second] = [await buy(), await buy()]
  await grant()
  const removed = billing.connector
  await remove()
  await reject(first)
  await grant()
  const credits = async ({ commissionId }: Bought) => (await detail(commissionId)).credits
  expect(await credits(first)).toMatchObject([
    { status: 'granted', connector_id: removed.id },
    { status: 'failed', amount_minor: -1000, problem: expect.stringContaining('The connector was removed.') },
  ])
  await addAgain()
  await reject(second)
  await grant()
  for (const { customer } of [first, second]) {
    expect(customers.changes(customer)).toEqual([
      [-1000, 'usd'],
      [1000, 'usd'],
    ])
    expect(await listed(customer)).toMatchObject([{ status: 'taken_back', problem: null }])
  }
  expect((await switchTo(true)).status).toBe(200)
})

it.each([['lost' as const], [500]])(
  'a change whose call ended in %s before its connector was removed is finished through the one added again',
  async fault => {
    const bought = await buy()
    fake.faults.push(...(fault === 'lost' ? [fault, fault, fault] : [fault]))
    await grant()
    await remove()
    await passWait()
    await grant()
    const credits = async () => (await detail(bought.commissionId)).credits
    expect(await credits()).toMatchObject([
      { status: 'failed', problem: expect.stringContaining('The connector was removed.') },
    ])
    await addAgain()
    await passWait()
    await grant()
    expect(customers.changes(bought.customer)).toEqual([[-1000, 'usd']])
    expect(await credits()).toMatchObject([
      { status: 'granted', connector_id: billing.connector.id, problem: null },
    ])
    expect((await switchTo(true)).status).toBe(200)
  },
)

it('a grant that is open when its connector is removed is dropped', async () => {
  const bought = await buy()
  customers.deleted.add(bought.customer)
  await grant()
  expect((await detail(bought.commissionId)).credits).toMatchObject([{ status: 'failed' }])
  await scene.database.owner.query('UPDATE connector_credits SET due_at = NULL WHERE external_id IS NULL')
  await remove()
  await grant()
  expect((await detail(bought.commissionId)).credits).toEqual([])
  await addAgain()
  expect((await switchTo(true)).status).toBe(200)
})

it('only who may change settings turns it on, at a provider that has balances, with a key', async () => {
  const { id } = billing.connector
  const viewer = await Person.join(scene.app, scene.account.id, 'viewer')
  const stranger = await Person.join(scene.app, (await buildAccount(scene.database)).id, 'owner')
  for (const [route, body] of [
    ['setConnectorCredits', { is_on: true }],
    ['retryConnectorCredits', {}],
  ] as const) {
    expect((await viewer.call(route, { id, body })).status).toBe(403)
    expect((await stranger.call(route, { id, body })).status).toBe(404)
  }
  expect((await viewer.call('listConnectorCredits', { id })).status).toBe(200)
  expect((await stranger.call('listConnectorCredits', { id })).status).toBe(404)
  const paddle = (await admin.call('createConnector', { body: { provider: 'paddle' } })).body
  const refused = await admin.call('setConnectorCredits', { id: paddle.id, body: { is_on: true } })
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('only be granted at Stripe')])
  const keyless = (await admin.call('createConnector', { body: { provider: 'stripe' } })).body
  expect((await admin.call('setConnectorCredits', { id: keyless.id, body: { is_on: true } })).status).toBe(
    409,
  )
})
