/** Search while typing: the palette's few matches of every kind, and customers by part of their reference in the lists. */
import type { SearchResults } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  buildAccount,
  buildAffiliate,
  buildCampaign,
  buildPayout,
  buildReferral,
  unique,
} from '../factories.ts'
import { useScene } from '../harness.ts'
import { convert } from '../ledger/scene.ts'
import { beacon } from '../tracking/scene.ts'
import { Person } from './person.ts'

const scene = useScene()
let viewer: Person
beforeAll(async () => {
  viewer = await Person.join(scene.app, scene.account.id, 'viewer')
})

const search = async (q: string, person = viewer): Promise<SearchResults> => {
  const { status, body } = await person.call('search', { query: { q } })
  expect([q, status]).toEqual([q, 200])
  return body
}
const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
const nothing = { affiliates: [], customers: [], sales: [], payouts: [], endpoints: [] }

describe('the palette', () => {
  it('finds affiliates by part of name, email, token and coupon', async () => {
    const mark = unique('grace').replaceAll('-', '')
    const { id } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id, {
      email: `${mark}@navy.example`,
      name: `Rear Admiral ${mark} 100%`,
      token: `tok${mark}`,
      coupon_code: `CODE${mark}`,
    })
    for (const q of [
      `${mark}@navy`,
      `ADMIRAL ${mark.toUpperCase()}`,
      `tok${mark}`,
      `code${mark}`,
      `  ${mark}  `,
    ])
      expect([q, idsOf((await search(q)).affiliates)]).toEqual([q, [id]])
    expect(await search('no such text')).toEqual(nothing)
    expect((await search('%%')).affiliates).toEqual([])
  })

  it('finds customers by part of their reference, the newest first and a few', async () => {
    const mark = unique('cust')
    const ids: number[] = []
    for (let n = 0; n < 7; n++)
      ids.unshift(
        await buildReferral(scene.database, scene.place, { customer_ref: `${n}-${mark}@example.com` }),
      )
    expect(idsOf((await search(`${mark}@EXAMPLE`)).customers)).toEqual(ids.slice(0, 5))
    expect(idsOf((await search(`0-${mark}@example.com`)).customers)).toEqual(ids.slice(-1))
  })

  it('finds payouts by number and by campaign', async () => {
    const name = unique('Resellers')
    const campaign = await buildCampaign(scene.database, scene.account.id, { name })
    const id = await buildPayout(scene.database, { ...scene.place, campaign_id: campaign.id })
    for (const q of [`payout ${id}`, `Payout #${id}`, `#${id}`, name.toUpperCase()])
      expect([q, idsOf((await search(q)).payouts)]).toEqual([q, [id]])
  })

  it('finds referrals by number', async () => {
    const id = await buildReferral(scene.database, scene.place)
    for (const q of [`referral ${id}`, `Referral #${id}`, `#${id}`])
      expect([q, idsOf((await search(q)).customers)]).toEqual([q, [id]])
    expect(idsOf((await search(`payout ${id}`)).customers)).toEqual([])
  })

  it('finds sales by their ID or its beginning, with their referral', async () => {
    const mark = unique('Order')
    const referral = await buildReferral(scene.database, scene.place)
    const insert = async (external_id: string, referral_id: number | null) =>
      await scene.database.owner.query(
        `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
         VALUES ($1, $2, $2, $3, 4900, 'USD', now())`,
        [scene.account.id, external_id, referral_id],
      )
    await insert(`${mark}-1`, referral)
    await insert(`${mark}-2`, referral)
    await insert(`${mark}-3`, null)
    const found = async (q: string) => (await search(q)).sales.map(({ external_id }) => external_id)
    expect(await found(mark)).toEqual([`${mark}-2`, `${mark}-1`])
    expect(await found(`${mark}-1`)).toEqual([`${mark}-1`])
    expect(await found(`${mark}-3`)).toEqual([])
    expect(await found(mark.slice(1))).toEqual([])
    expect((await search(`${mark}-1`)).sales[0]).toMatchObject({ referral_id: referral, amount_minor: 4900 })
  })

  it('finds webhook endpoints by part of their URL, but no deleted ones', async () => {
    const mark = unique('hooks').toLowerCase()
    const url = `https://${mark}.example.com/in`
    const { body } = await scene.api.post('/webhook_endpoints', { url, events: ['conversion.created'] })
    expect((await search(mark.toUpperCase())).endpoints).toEqual([{ id: body.id, url, status: 'active' }])
    await scene.api.delete(`/webhook_endpoints/${body.id}`)
    expect((await search(mark)).endpoints).toEqual([])
  })

  it('finds nothing of another account, and takes a text of two characters or more', async () => {
    const mark = unique('mine')
    await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id, { name: mark })
    const referral = await buildReferral(scene.database, scene.place, { customer_ref: mark })
    await scene.database.owner.query(
      `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
       VALUES ($1, $2, $2, $3, 4900, 'USD', now())`,
      [scene.account.id, mark, referral],
    )
    await scene.api.post('/webhook_endpoints', {
      url: `https://${mark}.example.com/`,
      events: ['conversion.created'],
    })
    const stranger = await Person.join(scene.app, (await buildAccount(scene.database)).id, 'owner')
    expect(await search(mark, stranger)).toEqual(nothing)
    expect(await search(`referral ${referral}`, stranger)).toEqual(nothing)
    for (const q of ['', 'x', 'x'.repeat(101)])
      expect([q, (await viewer.call('search', { query: { q } })).status]).toEqual([q, 422])
  })
})

it('the lists find customers by part of their reference, as typed or in lower case', async () => {
  const mark = unique('part')
  const id = await buildReferral(scene.database, scene.place, { customer_ref: `Anna.${mark}@example.com` })
  const list = async (customer_ref: string) =>
    idsOf((await viewer.call('listReferrals', { query: { customer_ref } })).body.data)
  for (const text of [mark, `Anna.${mark}`, `${mark}@EXAMPLE.com`, `Anna.${mark}@example.com`])
    expect([text, await list(text)]).toEqual([text, [id]])
  expect(await list(`${mark}%`)).toEqual([])
  const file = await viewer.call('exportReferrals', { query: { customer_ref: mark } })
  expect(file.text.trimEnd().split('\r\n')).toHaveLength(2)
})

it('finds a customer by the complete email that the tracker reported, in the palette, the list and its file', async () => {
  const token = unique('tok').replaceAll('-', '')
  const campaign = await buildCampaign(scene.database, scene.account.id)
  const affiliate = await buildAffiliate(scene.database, scene.account.id, campaign.id, { token })
  await scene.database.owner.query(`UPDATE affiliates SET status = 'approved' WHERE id = $1`, [affiliate.id])
  const email = `${unique('Lead')}@Example.com`
  const customers: string[] = []
  for (const isLead of [true, false]) {
    const visitor = { account: scene.account.slug, visitor_id: unique('visitor-0123456789') }
    const { body: click } = await beacon(scene, { ...visitor, token, campaign: campaign.slug })
    const lead = { ...visitor, click_id: click.click_id, email }
    if (isLead) expect((await beacon(scene, lead, {}, { path: '/t/leads' })).status).toBe(201)
    const customer_ref = unique('customer')
    const report = { campaign_id: campaign.id, customer_ref, click_id: String(click.click_id) }
    expect((await convert(scene.api, report)).status).toBe(201)
    customers.push(customer_ref)
  }
  const refs = (rows: { customer_ref: string }[]) => rows.map(row => row.customer_ref)
  for (const q of [email, email.toLowerCase(), ` ${email}`]) {
    expect(refs((await search(q)).customers)).toEqual(customers.slice(0, 1))
    const { body } = await viewer.call('listReferrals', { query: { customer_ref: q } })
    expect(refs(body.data)).toEqual(customers.slice(0, 1))
  }
  const file = await viewer.call('exportReferrals', { query: { customer_ref: email } })
  expect(file.text).toContain(customers[0])
  expect(file.text).not.toContain(customers[1])
  // Neither a part of it nor another account finds it.
  expect((await search(email.slice(0, -4))).customers).toEqual([])
  const other = await buildAccount(scene.database)
  const stranger = await Person.join(scene.app, other.id, 'viewer')
  expect(await search(email, stranger)).toEqual(nothing)
})
