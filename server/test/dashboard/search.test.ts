/** Search while typing: the palette's few matches of every kind, and customers by part of their reference in the lists. */
import type { ListedSale, SearchResults } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { MOST_MATCHES } from '../../src/dashboard/search/searched.ts'
import {
  buildAccount,
  buildAffiliate,
  buildCampaign,
  buildPayout,
  buildReferral,
  unique,
} from '../factories.ts'
import { useScene } from '../harness.ts'
import { convert, earnOne, openCampaign, refund, sell, winCustomer } from '../ledger/scene.ts'
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

  it('finds sales by their ID or its beginning, with their referral if they have one', async () => {
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
    expect(await found(mark)).toEqual([`${mark}-3`, `${mark}-2`, `${mark}-1`])
    expect(await found(`${mark}-1`)).toEqual([`${mark}-1`])
    expect((await search(`${mark}-3`)).sales).toMatchObject([{ external_id: `${mark}-3`, referral_id: null }])
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

describe('the list of commissions', () => {
  const list = async (q: string, query: object = {}) =>
    (await viewer.call('listCommissions', { query: { q, ...query } })).body
  const found = async (q: string, query: object = {}) => idsOf((await list(q, query)).data)

  it('finds entries by affiliate, customer, sale and number, with their clawbacks', async () => {
    const won = await winCustomer(scene)
    const { entry, external_id } = await earnOne(scene, won)
    const other = await earnOne(scene, won)
    const { body } = await refund(scene.api, {
      external_id: unique('refund'),
      sale_external_id: external_id,
      amount_minor: 5000,
    })
    const ofSale = [body.commissions[0].id, entry.id]
    const all = [body.commissions[0].id, other.entry.id, entry.id]
    expect(await found(external_id)).toEqual(ofSale)
    expect(await found(external_id.slice(0, -1), { affiliate_id: won.affiliate.id, limit: 200 })).toEqual(
      expect.arrayContaining(ofSale),
    )
    for (const q of [
      won.affiliate.email.toUpperCase(),
      won.affiliate.email.slice(1),
      won.customer_ref,
      ` ${won.customer_ref} `,
    ])
      expect([q, await found(q)]).toEqual([q, all])
    // A number is the entry's, whatever the tokens of affiliates are.
    for (const q of [`#${entry.id}`, `Commission ${entry.id}`]) expect(await found(q)).toEqual([entry.id])
    expect(await found(String(entry.id))).toContain(entry.id)
    // Other filters and the order still hold, page by page.
    expect(await found(won.customer_ref, { entry_type: 'earned' })).toEqual([other.entry.id, entry.id])
    expect(await list(won.customer_ref, { limit: 1 })).toMatchObject({ next: all[0], is_partial: false })
    expect(await found(won.customer_ref, { after: all[0] })).toEqual(all.slice(1))
    expect(await found(won.customer_ref, { order: 'oldest' })).toEqual(all.toReversed())
    const file = await viewer.call('exportCommissions', { query: { q: external_id } })
    const lines = file.text.trimEnd().split('\r\n').slice(1)
    expect(lines.map(line => Number(line.split(',')[0]))).toEqual(ofSale)
  })

  it('finds entries by the address that the customer left', async () => {
    const won = await winCustomer(scene)
    const { entry } = await earnOne(scene, won)
    const email = `${unique('left')}@customers.example`
    await scene.database.owner.query('UPDATE accounts SET keeps_customer_emails = true WHERE id = $1', [
      scene.account.id,
    ])
    await scene.database.owner.query(
      'INSERT INTO customer_emails (account_id, customer_ref, email, email_key) VALUES ($1, $2, $3, $3)',
      [scene.account.id, won.customer_ref, email],
    )
    for (const q of [email, email.slice(2, -3).toUpperCase()])
      expect([q, await found(q)]).toEqual([q, [entry.id]])
  })

  it('has no rows for what means nothing, refuses what is no text, and finds nothing of another account', async () => {
    const won = await winCustomer(scene)
    await earnOne(scene, won)
    for (const q of ['%', '_', '\\', "' OR true --", '99999999999999', 'no such text'])
      expect([q, await found(q)]).toEqual([q, []])
    for (const q of ['', 'x'.repeat(101)])
      expect((await viewer.call('listCommissions', { query: { q } })).status).toBe(422)
    const stranger = await Person.join(scene.app, (await buildAccount(scene.database)).id, 'owner')
    const theirs = await stranger.call('listCommissions', { query: { q: won.customer_ref } })
    expect(theirs.body.data).toEqual([])
  })

  it('says that it is partial if the text stands for more than is looked up; the file has everything', async () => {
    const account = await buildAccount(scene.database)
    const owner = await Person.join(scene.app, account.id, 'owner')
    const campaign = await buildCampaign(scene.database, account.id)
    const mark = unique('many')
    await scene.database.owner.query(
      `WITH joined AS (
         INSERT INTO affiliates (account_id, email, email_key, status, kind, token)
         SELECT $1, mail, mail, 'approved', 'affiliate', 'many' || n FROM generate_series(1, 501) n, concat($2::text, n, '@example.com') mail RETURNING id)
       INSERT INTO commissions (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency,
                                payout_amount_minor, payout_currency, status)
       SELECT $1, $3, joined.id, 'adjustment', 'affiliate', 100, 'USD', 100, 'USD', 'approved' FROM joined`,
      [account.id, mark, campaign.id],
    )
    const { body } = await owner.call('listCommissions', { query: { q: mark } })
    expect([body.is_partial, body.data.length]).toEqual([true, 50])
    const file = await owner.call('exportCommissions', { query: { q: mark } })
    expect(file.text.trimEnd().split('\r\n')).toHaveLength(502)
    const one = await owner.call('listCommissions', { query: { q: `${mark}7@` } })
    expect([one.body.is_partial, one.body.data.length]).toEqual([false, 1])
  })
})

it('the list of payouts finds them by number, campaign, affiliate, batch and reference', async () => {
  const name = unique('Café Programme')
  const { database, account } = scene
  const campaign = await buildCampaign(database, account.id, { name })
  const id = await buildPayout(database, { ...scene.place, campaign_id: campaign.id })
  const reference = unique('Wire')
  await database.owner.query(
    'UPDATE payout_items SET reference = $3 WHERE account_id = $1 AND payout_id = $2',
    [account.id, id, reference],
  )
  await database.owner.query(
    `INSERT INTO payout_submissions (account_id, payout_id, sender_batch_id, external_id, status) VALUES ($1, $2, $3, $4, 'accepted')`,
    [account.id, id, `batch-${reference}`, `PAYPAL-${reference}`],
  )
  const found = async (q: string, query: object = {}) =>
    idsOf((await viewer.call('listPayouts', { query: { q, ...query } })).body.data)
  const { rows } = await database.owner.query(
    `SELECT a.email FROM payout_items i JOIN affiliates a ON a.id = i.affiliate_id WHERE i.payout_id = $1`,
    [id],
  )
  for (const q of [
    `payout ${id}`,
    `#${id}`,
    name,
    name.slice(2),
    reference,
    reference.slice(0, -1),
    `batch-${reference}`,
    `PAYPAL-${reference}`,
  ])
    expect([q, await found(q, { campaign_id: campaign.id })]).toEqual([q, [id]])
  expect(await found(`payout ${id}`)).toEqual([id])
  for (const { email } of rows) expect(await found(email)).toContain(id)
  expect(rows.length).toBeGreaterThan(0)
  for (const q of ['%', 'no such text', '99999999999999']) expect([q, await found(q)]).toEqual([q, []])
  expect(await found(name, { status: 'failed' })).toEqual([])
  expect((await viewer.call('listPayouts', { query: { q: 'x'.repeat(101) } })).status).toBe(422)
  const file = await viewer.call('exportPayouts', { query: { q: reference } })
  expect(file.text.trimEnd().split('\r\n')).toHaveLength(2)
  const stranger = await Person.join(scene.app, (await buildAccount(database)).id, 'owner')
  expect((await stranger.call('listPayouts', { query: { q: reference } })).body.data).toEqual([])
})

it('the list of campaigns finds them by part of the name or slug, sorted by a figure too', async () => {
  const name = unique('Café 100%')
  const { id, slug } = await buildCampaign(scene.database, scene.account.id, { name })
  const found = async (q: string, query: object = {}) =>
    idsOf((await viewer.call('listCampaigns', { query: { q, ...query } })).body.data)
  for (const q of [name, name.slice(1), name.slice(6).toUpperCase(), ` ${name} `, slug, slug.toUpperCase()]) {
    expect([q, await found(q)]).toEqual([q, [id]])
    expect([q, await found(q, { period: 'last30', sort: 'revenue' })]).toEqual([q, [id]])
  }
  expect(await found('no such text')).toEqual([])
  expect(await found('_')).toEqual([])
  expect((await viewer.call('listCampaigns', { query: { q: '' } })).status).toBe(422)
  const file = await viewer.call('exportCampaigns', { query: { q: name } })
  expect(file.text.trimEnd().split('\r\n')).toHaveLength(2)
})

describe('the list of sales', () => {
  const list = async (q: string, also: object = {}) => {
    const { status, body } = await viewer.call('listSales', { query: { q, ...also } })
    expect([q, status]).toEqual([q, 200])
    return body.data as ListedSale[]
  }
  const idsIn = (sales: ListedSale[]) => sales.map(({ external_id }) => external_id)

  it('finds sales by the beginning of their ID, and by customer, and says where they stand', async () => {
    const won = await winCustomer(scene)
    const { external_id } = await earnOne(scene, won)
    const found = [external_id]
    expect(idsIn(await list(external_id.slice(0, -1)))).toEqual(found)
    expect(idsIn(await list(won.customer_ref.slice(2)))).toEqual(found)
    expect(await list(external_id.slice(1))).toEqual([])
    expect(await list(external_id)).toMatchObject([
      { status: 'counted', referral_id: won.referralId, affiliate_id: won.affiliate.id, is_explained: false },
    ])
    const file = await viewer.call('exportSales', { query: { q: won.customer_ref } })
    expect(file.text.trimEnd().split('\r\n')).toHaveLength(2)
  })

  it('finds unattributed sales only by a search, and whether a conversion says why', async () => {
    const campaign = await openCampaign(scene.database, scene.account.id)
    const [explained, unknown] = [unique('unknown'), unique('unknown')]
    const sale = (name: string) => ({ external_id: `sale-of-${name}`, amount_minor: 4900, currency: 'USD' })
    const { body } = await convert(scene.api, {
      campaign_id: campaign.id,
      customer_ref: explained,
      sale: sale(explained),
    })
    expect(body.referral).toBe(null)
    expect((await sell(scene.api, { customer_ref: unknown, ...sale(unknown) })).body.referral).toBe(null)
    for (const [customer_ref, is_explained] of [
      [explained, true],
      [unknown, false],
    ] as const)
      for (const q of [customer_ref, `sale-of-${customer_ref}`]) {
        const row = {
          customer_ref,
          status: 'unattributed',
          referral_id: null,
          affiliate_id: null,
          is_explained,
        }
        expect([q, await list(q)]).toMatchObject([q, [row]])
        for (const filter of [{ is_counted: true }, { campaign_id: campaign.id }])
          expect(await list(q, filter)).toEqual([])
        const file = await viewer.call('exportSales', { query: { q } })
        expect(file.text.trimEnd().split('\r\n')).toHaveLength(2)
      }
    const all = await viewer.call('listSales', { query: { limit: 200 } })
    expect(all.body.data.filter((row: ListedSale) => row.status === 'unattributed')).toEqual([])
  })

  it('reads all pages of what it finds, in the order of time', async () => {
    const customer_ref = unique('pages')
    const referral = await buildReferral(scene.database, scene.place, { customer_ref })
    for (let n = 0; n < 5; n++)
      await scene.database.owner.query(
        `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
         VALUES ($1, $2, $3, $4, 4900, 'USD', now() - $5 * interval '1 day')`,
        [scene.account.id, `${customer_ref}-${n}`, customer_ref, referral, n],
      )
    const seen: string[] = []
    let after: number | undefined
    do {
      const query = { q: customer_ref, limit: 2, ...(after && { after }) }
      const { body } = await viewer.call('listSales', { query })
      expect(body.is_partial).toBe(false)
      seen.push(...idsIn(body.data))
      after = body.next ?? undefined
    } while (after !== undefined)
    expect(seen).toEqual([0, 1, 2, 3, 4].map(n => `${customer_ref}-${n}`))
  })

  it('says when more match than are looked up', async () => {
    const mark = unique('many')
    const add = (from: number, to: number) =>
      scene.database.owner.query(
        `INSERT INTO sales (account_id, external_id, customer_ref, amount_minor, currency, occurred_at)
         SELECT $1, $2 || n, $2 || n, 100, 'USD', now() - n * interval '1 day' FROM generate_series($3::integer, $4::integer) n`,
        [scene.account.id, mark, from, to],
      )
    const partial = async (also: object = {}) =>
      (await viewer.call('listSales', { query: { q: mark, ...also } })).body.is_partial
    await add(1, MOST_MATCHES)
    expect(await partial()).toBe(false)
    await add(MOST_MATCHES + 1, MOST_MATCHES + 1)
    expect([await partial(), await partial({ q: `${mark}${MOST_MATCHES}` })]).toEqual([true, false])
    // Of the days that are asked for, all are found, however many others there are.
    const oldest = new Date(Date.now() - MOST_MATCHES * 86_400_000).toISOString().slice(0, 10)
    expect((await list(mark, { until: oldest, limit: 200 })).length).toBeGreaterThan(0)
    expect(await partial({ until: oldest })).toBe(false)
  })

  it('finds unattributed sales by the email of their customer, and links to a conversion that came later', async () => {
    const [customer_ref, external_id] = [unique('later'), unique('before')]
    const email = `${customer_ref}@buyer.example`
    const occurred_at = new Date(Date.now() - 3_600_000).toISOString()
    await sell(scene.api, { customer_ref, external_id, amount_minor: 4900, currency: 'USD', occurred_at })
    const won = await winCustomer(scene, {}, { customer_ref })
    await scene.database.owner.query(
      `INSERT INTO customer_emails (account_id, customer_ref, email, email_key) VALUES ($1, $2, $3, $3)`,
      [scene.account.id, customer_ref, email],
    )
    for (const q of [email, email.slice(0, -4), external_id])
      expect(await list(q)).toMatchObject([
        { external_id, status: 'unattributed', is_explained: false, later_referral_id: won.referralId },
      ])
    const file = await viewer.call('exportSales', { query: { q: email } })
    expect(file.text.trimEnd().split('\r\n')).toHaveLength(2)
  })

  it('finds a counted sale on the first page, however many others the filters rule out', async () => {
    const mark = unique('crowd')
    await scene.database.owner.query(
      `WITH customers AS (
         INSERT INTO customer_emails (account_id, customer_ref, email, email_key)
         SELECT $1, $2 || n, n || '@' || $2 || '.example', n || '@' || $2 || '.example' FROM generate_series(0, 120) n)
       INSERT INTO sales (account_id, external_id, customer_ref, amount_minor, currency, occurred_at)
       SELECT $1, $2 || n, $2 || n, 100, 'USD', now() + n * interval '1 second' FROM generate_series(1, 120) n`,
      [scene.account.id, mark],
    )
    const won = await winCustomer(scene, {}, { customer_ref: `${mark}0` })
    const { external_id } = await earnOne(scene, { ...won, customer_ref: `${mark}0` })
    const query = { q: `@${mark}`, is_counted: true, limit: 50 }
    const { body } = await viewer.call('listSales', { query })
    expect([idsIn(body.data), body.next, body.is_partial]).toEqual([[external_id], null, false])
    expect(await list(`@${mark}`, { limit: 200 })).toHaveLength(121)
  })

  it('says that a sale was replaced, also where no affiliate was credited', async () => {
    const external_id = unique('bare')
    await scene.database.owner.query(
      `INSERT INTO sales (account_id, external_id, customer_ref, amount_minor, currency, occurred_at, replaced_by)
       VALUES ($1, $2, $2, 100, 'USD', now(), 'invoice')`,
      [scene.account.id, external_id],
    )
    expect(await list(external_id)).toMatchObject([{ external_id, status: 'replaced' }])
  })
})

it('the list of clicks finds them by a part of their landing page or referrer', async () => {
  const mark = unique('part').replaceAll('-', '')
  const values = [scene.account.id, scene.place.campaign_id, scene.place.affiliate_id]
  await scene.database.owner.query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, landing_url, referrer, created_at)
     VALUES ($1, $2, $3, false, 'https://shop.example/' || $4 || '?sub_id=100%25', NULL, now()),
            ($1, $2, $3, false, 'https://shop.example/', 'https://' || $4 || '.example/', now()),
            ($1, $2, $3, false, 'https://shop.example/', NULL, now())`,
    [...values, mark],
  )
  const list = async (q: string) => (await viewer.call('listClicks', { query: { q } })).body.data.length
  expect([await list(mark), await list(mark.toUpperCase()), await list(`${mark}%`)]).toEqual([2, 2, 0])
  const file = await viewer.call('exportClicks', { query: { q: mark } })
  expect(file.text.trimEnd().split('\r\n')).toHaveLength(3)
})
