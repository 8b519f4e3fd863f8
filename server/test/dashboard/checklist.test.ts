/** The checklist of a new account: ticked off by its data, filled with a real affiliate, live, and shown until it is dismissed. */
import { beforeEach, describe, expect, it } from 'vitest'
import { insertEvents } from '../../src/connectors/connector-event.store.ts'
import { createAccount } from '../../src/programme/accounts/create-account.ts'
import { buildAffiliate, buildCampaign, buildCommission, unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { convert } from '../ledger/scene.ts'
import { Person } from './person.ts'

const scene = useScene()
let accountId: number
let owner: Person
beforeEach(async () => {
  const made = await scene.database.db.transaction(tx =>
    createAccount(tx, {
      name: 'New',
      slug: unique('new'),
      email: `${unique('owner')}@example.com`,
      password: 'correct horse',
    }),
  )
  accountId = made.account_id
  owner = await Person.join(scene.app, accountId, 'owner')
})
const show = async (person = owner) => (await person.call('getChecklist')).body

it('of a new account has nothing done and no sample', async () => {
  expect(await show()).toEqual({
    is_shown: true,
    done: {
      campaign: false,
      affiliate: false,
      api_key: false,
      tracker: false,
      billing: false,
      conversion: false,
      payout: false,
    },
    script_url: expect.stringMatching(/^http.*\/tracker\.js$/),
    sample: null,
    received: null,
  })
})

it('billing is done once a connector has received an event, also if it was removed since', async () => {
  const { id } = (await owner.call('createConnector', { body: { provider: 'stripe' } })).body
  expect((await show()).done.billing).toBe(false)
  const event = { id: unique('evt'), type: 'invoice.paid', occurredAt: '2026-01-01T00:00:00.000Z' }
  await insertEvents(scene.database.db, [{ accountId, connectorId: id, event, body: '{}' }])
  expect((await show()).done.billing).toBe(true)
  const other = await Person.join(scene.app, scene.account.id, 'viewer')
  expect((await show(other)).done.billing).toBe(false)
  await owner.call('removeConnector', { id, body: {} })
  expect((await show()).done.billing).toBe(true)
})

describe('the sample', () => {
  it('has the token of an approved affiliate in an active campaign', async () => {
    const campaign = await buildCampaign(scene.database, accountId)
    const { id, token } = await buildAffiliate(scene.database, accountId, campaign.id, { name: 'Jane' })
    expect((await show()).sample).toBeNull()
    await owner.call('updateAffiliate', { id, body: { status: 'approved' } })
    const sample = { token, affiliate_name: 'Jane', campaign_id: campaign.id, currency: 'USD' }
    expect((await show()).sample).toEqual(sample)
    await owner.call('setCampaignStatus', { id: campaign.id, body: { status: 'paused' } })
    expect((await show()).sample).toBeNull()
  })
})

it('shows the newest conversion, with who was credited', async () => {
  const { app, database, account, place, api } = scene
  const person = await Person.join(app, account.id, 'viewer')
  const { token } = await buildAffiliate(database, account.id, place.campaign_id, { name: 'Jane' })
  await database.owner.query("UPDATE affiliates SET status = 'approved' WHERE token = $1", [token])
  const report = (customer_ref: string, extra = {}) =>
    convert(api, { campaign_id: place.campaign_id, customer_ref, ...extra })
  const won = await report('customer-1', { token, is_test: true })
  expect((await show(person)).received).toMatchObject({
    customer_ref: 'customer-1',
    referral_id: won.body.referral.id,
    affiliate_name: 'Jane',
    commission_minor: null,
  })
  const { referral } = (await report('customer-3', { token })).body
  await buildCommission(
    database,
    { ...place, affiliate_id: referral.affiliate_id },
    { referral_id: referral.id },
  )
  expect((await show(person)).received).toMatchObject({ commission_minor: 2000, commission_currency: 'USD' })
  await report('customer-2')
  expect((await show(person)).received).toMatchObject({
    customer_ref: 'customer-2',
    referral_id: null,
    affiliate_name: null,
  })
})

describe('dismissing', () => {
  it('is for the whole account, permanent, and audited', async () => {
    const viewer = await Person.join(scene.app, accountId, 'viewer')
    expect((await viewer.call('dismissChecklist')).status).toBe(403)
    expect((await show(viewer)).is_shown).toBe(true)
    for (let time = 0; time < 2; time++) expect((await owner.call('dismissChecklist')).status).toBe(200)
    expect((await show(viewer)).is_shown).toBe(false)
    const { data } = (await owner.call('listAuditLog', { query: { action: 'account.dismiss_checklist' } }))
      .body
    expect(data[0].actor_name).toBe(owner.email)
  })

  it('is not needed in an account from before: there it ends with the first conversion', async () => {
    const person = await Person.join(scene.app, scene.account.id, 'viewer')
    const { is_shown, done } = await show(person)
    expect(is_shown).toBe(!done.conversion)
  })
})
