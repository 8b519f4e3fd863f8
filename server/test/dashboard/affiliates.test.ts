/** The affiliates of the dashboard: found, let in or turned away, changed, and shown with what they are owed. */
import type { AffiliateDetail, AffiliateSummary } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { updateAffiliate } from '../../src/programme/affiliates/update-affiliate.ts'
import {
  buildAccount,
  buildAffiliate,
  buildCampaign,
  buildCommission,
  buildPayout,
  buildReferral,
  unique,
} from '../factories.ts'
import { useScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { Person } from './person.ts'

const scene = useScene()
let admin: Person
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
})

const list = async (query: Record<string, unknown> = {}, person = admin): Promise<AffiliateSummary[]> =>
  (await person.call('listAffiliates', { query })).body.data
const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
const show = async (id: number): Promise<AffiliateDetail> => (await admin.call('getAffiliate', { id })).body
const join = (overrides: object = {}) =>
  buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id, overrides)
const eventsAbout = async (id: number): Promise<string[]> =>
  (
    await scene.database.owner.query(
      "SELECT kind FROM events WHERE kind LIKE 'promoter.%' AND subject_id = $1",
      [id],
    )
  ).rows.map(({ kind }) => kind)
const audited = async (action: string) => (await admin.call('listAuditLog', { query: { action } })).body.data

describe('the list', () => {
  it('shows campaigns and what is owed, without tests, voids and what belongs to others', async () => {
    const { id } = await join({ name: 'Ada', tags: ['vip'] })
    const second = await buildCampaign(scene.database, scene.account.id, { name: 'Second' })
    await admin.call('createAffiliate', { body: { email: (await show(id)).email, campaign_id: second.id } })
    const place = { ...scene.place, affiliate_id: id }
    const test = await buildReferral(scene.database, place, { is_test: true })
    await buildCommission(scene.database, place, { amount_minor: 5000, status: 'approved' })
    await buildCommission(scene.database, place, { amount_minor: -1500, entry_type: 'clawback' })
    await buildCommission(scene.database, place, { amount_minor: 700, status: 'void' })
    await buildCommission(scene.database, place, { amount_minor: 800, referral_id: test })
    await buildCommission(scene.database, place, { amount_minor: 900, beneficiary: 'referee' })
    const euros = { currency: 'EUR', payout_currency: 'EUR', amount_minor: 250 }
    await buildCommission(scene.database, place, euros)
    const [row] = await list({ q: 'ADA' })
    expect(row).toEqual({
      id,
      email: expect.any(String),
      name: 'Ada',
      status: 'pending',
      kind: 'affiliate',
      tags: ['vip'],
      has_answers: false,
      campaigns: [
        { id: scene.place.campaign_id, name: 'Programme' },
        { id: second.id, name: 'Second' },
      ],
      performance: null,
      balances: [
        { currency: 'EUR', balance_minor: 250 },
        { currency: 'USD', balance_minor: 3500 },
      ],
      created_at: expect.any(String),
    })
    const none = { paid_out_minor: 0, credit_minor: 0 }
    expect((await show(id)).balances).toEqual([
      { ...none, currency: 'EUR', pending_minor: 250, approved_minor: 0, balance_minor: 250 },
      { ...none, currency: 'USD', pending_minor: -1500, approved_minor: 5000, balance_minor: 3500 },
    ])
  })

  it('is searched anywhere in email, name, token and coupon', async () => {
    const { id } = await join({
      email: 'Grace.Hopper@Navy.example',
      name: 'Rear Admiral 100%_Hopper',
      token: 'Cobol-1959',
      coupon_code: 'NANOSECOND',
    })
    for (const q of ['hopper@navy', 'GRACE', 'rear adm', 'obol-19', 'nanosec', '100%_h', 'ÀÀ'])
      expect([q, idsOf(await list({ q }))]).toEqual([q, q === 'ÀÀ' ? [] : [id]])
    for (const q of ['%', '_']) expect(idsOf(await list({ q }))).toEqual([id])
    expect(await list({ q: '\\' })).toEqual([])
  })

  it('is filtered, turned round and read by pages', async () => {
    const campaign = await buildCampaign(scene.database, scene.account.id)
    const make = (overrides: object) =>
      buildAffiliate(scene.database, scene.account.id, campaign.id, overrides)
    const a = (await make({ kind: 'customer', tags: ['blue', 'green'] })).id
    const b = (await make({ tags: ['blue'] })).id
    const c = (await make({})).id
    await admin.call('updateAffiliate', { id: c, body: { status: 'approved' } })
    const here = { campaign_id: campaign.id }
    expect(idsOf(await list(here))).toEqual([c, b, a])
    expect(idsOf(await list({ ...here, order: 'oldest' }))).toEqual([a, b, c])
    expect(idsOf(await list({ ...here, status: 'approved' }))).toEqual([c])
    expect(idsOf(await list({ ...here, kind: 'customer' }))).toEqual([a])
    expect(idsOf(await list({ ...here, tag: 'blue' }))).toEqual([b, a])
    const page = (await admin.call('listAffiliates', { query: { ...here, limit: 2 } })).body
    expect([idsOf(page.data), page.next]).toEqual([[c, b], b])
    expect(idsOf(await list({ ...here, limit: 2, after: page.next }))).toEqual([a])
    const back = (await admin.call('listAffiliates', { query: { ...here, limit: 2, order: 'oldest' } })).body
    expect(idsOf(await list({ ...here, order: 'oldest', after: back.next }))).toEqual([c])
    for (const query of [{ status: 'lost' }, { limit: 0 }, { q: '' }, { colour: 'blue' }])
      expect((await admin.call('listAffiliates', { query })).status).toBe(422)
  })

  it('is exported with the same filters', async () => {
    const campaign = await buildCampaign(scene.database, scene.account.id, { name: 'Export, "quoted"' })
    const { id } = await buildAffiliate(scene.database, scene.account.id, campaign.id, {
      email: 'e@example.com',
      name: '=SUM(A1)',
      token: 'exported',
      tags: ['x', 'y'],
    })
    await buildCommission(scene.database, { ...scene.place, affiliate_id: id }, { amount_minor: 1234 })
    const { status, headers, text } = await admin.call('exportAffiliates', {
      query: { campaign_id: campaign.id, q: 'exported' },
    })
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'attachment; filename="affiliates.csv"',
    ])
    const [heading, line, ...rest] = text.split('\r\n')
    expect(heading).toBe(
      'affiliate,created_at,email,name,status,kind,token,coupon_code,paypal_email,tags,campaigns,owed',
    )
    expect(line).toMatch(
      new RegExp(
        `^${id},[^,]+,e@example.com,'=SUM\\(A1\\),pending,affiliate,exported,,,"x; y","Export, ""quoted""",12.34 USD$`,
      ),
    )
    expect(rest).toEqual([''])
  })
})

describe('one affiliate', () => {
  it('is shown with links, enrolments and what happened, newest first', async () => {
    const campaign = await buildCampaign(scene.database, scene.account.id, {
      slug: 'linked',
      destination_url: 'https://shop.example',
    })
    const { id, email } = await join({ token: 'linus' })
    const enrolled = await admin.call('createAffiliate', { body: { email, campaign_id: campaign.id } })
    expect(enrolled.body).toEqual({ id, created: false, invited: false })
    const place = { ...scene.place, affiliate_id: id }
    const referral = await buildReferral(scene.database, place, { customer_ref: 'cus_1' })
    const commission = await buildCommission(scene.database, place, { referral_id: referral })
    const payout = await buildPayout(scene.database, place)
    await buildCommission(scene.database, place, { entry_type: 'payout', amount_minor: -6000 })
    const detail = await show(id)
    expect(detail.enrolments).toMatchObject([
      { campaign_id: scene.place.campaign_id, payout_currency: 'USD', has_destination: false },
      {
        campaign_id: campaign.id,
        has_destination: true,
        link: `https://programme.example/r/${scene.account.slug}/linus/linked`,
      },
    ])
    expect(detail.events.map(({ kind, id, amount_minor }) => [kind, id, amount_minor])).toEqual([
      ['payout', payout, 6000],
      ['commission', commission, 2000],
      ['referral', referral, null],
      ['enrolled', expect.any(Number), null],
      ['enrolled', expect.any(Number), null],
      ['joined', id, null],
    ])
    expect(detail.events[1]).toMatchObject({
      status: 'pending',
      type: 'earned',
      campaign_name: 'Programme',
      customer_ref: 'cus_1',
      currency: 'USD',
      is_test: false,
    })
  })

  it('is added once: an email that is known is enrolled', async () => {
    const body = { email: 'new@example.com', name: 'New', campaign_id: scene.place.campaign_id }
    const first = (await admin.call('createAffiliate', { body })).body
    expect(first).toEqual({ id: expect.any(Number), created: true, invited: false })
    const again = { ...body, email: 'NEW@example.com', name: 'Other' }
    expect((await admin.call('createAffiliate', { body: again })).body).toEqual({ ...first, created: false })
    expect((await show(first.id)).name).toBe('New')
    expect((await audited('affiliate.create'))[0]).toMatchObject({
      subject_id: first.id,
      actor_name: admin.email,
      details: again,
    })
    for (const wrong of [{ email: 'not-an-email' }, { campaign_id: 999_999 }, { tags: [''] }, { unknown: 1 }])
      expect((await admin.call('createAffiliate', { body: { ...body, ...wrong } })).status).toBe(422)
  })

  it('is changed, and a conflict names the value that is taken', async () => {
    const { id } = await join({ name: 'Before', coupon_code: 'TAKEN-1' })
    const other = await join()
    const changes = {
      name: null,
      kind: 'customer',
      token: unique('t'),
      paypal_email: 'p@example.com',
      tags: ['a'],
    }
    const answer = await admin.call('updateAffiliate', { id, body: changes })
    expect(answer.body).toMatchObject({ id, coupon_code: 'TAKEN-1', ...changes })
    expect((await audited('affiliate.update'))[0]).toMatchObject({ subject_id: id, details: changes })
    const taken = await admin.call('updateAffiliate', { id: other.id, body: { coupon_code: 'taken-1' } })
    expect([taken.status, taken.body.error.message]).toEqual([
      409,
      'coupon_code is taken by another affiliate.',
    ])
    expect((await admin.call('updateAffiliate', { id, body: {} })).status).toBe(422)
  })

  it('has a statement of any day', async () => {
    const { id } = await join()
    await buildCommission(scene.database, { ...scene.place, affiliate_id: id }, { amount_minor: 4200 })
    const { text, headers } = await admin.call('downloadStatement', { id })
    expect(headers.get('content-disposition')).toContain(`statement-${id}.csv`)
    expect(text.split('\r\n')).toHaveLength(3)
    expect(text).toContain(',42.00,USD,42.00')
    const before = await admin.call('downloadStatement', { id, query: { as_of: '2020-01-31T23:59:59Z' } })
    expect(before.text.split('\r\n')).toHaveLength(2)
    expect(before.headers.get('content-disposition')).toContain(`statement-${id}-2020-01-31.csv`)
    expect((await admin.call('downloadStatement', { id, query: { as_of: 'monday' } })).status).toBe(422)
  })
})

describe('what happened to an affiliate in one instant', () => {
  it('is listed by what led to what, whatever the ids', async () => {
    const { database, place: others } = scene
    const { id } = await join()
    const place = { ...others, affiliate_id: id }
    const created_at = '2099-01-01T00:00:00.000Z'
    const commission = await buildCommission(database, place, { created_at })
    const payout = await buildPayout(database, place, { created_at })
    // A referral with a higher id than both.
    while ((await buildReferral(database, others)) <= Math.max(commission, payout));
    const referral = await buildReferral(database, place, { created_at })
    const newest = (await show(id)).events.slice(0, 3)
    expect(newest.map(event => [event.kind, event.id])).toEqual([
      ['payout', payout],
      ['commission', commission],
      ['referral', referral],
    ])
  })
})

describe('a review', () => {
  it('lets several in at once, tells of each, and names who is not there', async () => {
    const [a, b] = [await join(), await join()]
    const answer = await admin.call('reviewAffiliates', {
      body: { ids: [b.id, 999_999, a.id, a.id], status: 'approved' },
    })
    expect(answer.body).toEqual({
      done: 2,
      refused: [{ id: 999_999, message: 'There is no such affiliate.' }],
    })
    for (const { id } of [a, b]) {
      expect((await show(id)).status).toBe('approved')
      expect(await eventsAbout(id)).toEqual(['promoter.approved'])
    }
    // Repeating it publishes no event.
    await admin.call('reviewAffiliates', { body: { ids: [a.id], status: 'approved' } })
    expect(await eventsAbout(a.id)).toHaveLength(1)
    await admin.call('reviewAffiliates', { body: { ids: [a.id], status: 'rejected' } })
    expect((await show(a.id)).status).toBe('rejected')
    expect((await audited('affiliate.review'))[0]).toMatchObject({
      details: { ids: [a.id], status: 'rejected' },
    })
  })

  const showed = (status: string, ...affiliates: { id: number }[]) =>
    affiliates.map(({ id }) => ({ id, status }))

  it('leaves alone whom a colleague has decided about since the page was loaded', async () => {
    const [a, b, c] = [await join(), await join(), await join()]
    const decide = (status: string, ids: number[], from: object[]) =>
      admin.call('reviewAffiliates', { body: { ids, status, from } })
    await decide('rejected', [a.id], showed('pending', a))
    await decide('approved', [c.id], showed('pending', c))
    const answer = await decide('approved', [a.id, b.id, c.id], showed('pending', a, b, c))
    expect(answer.body).toEqual({
      done: 2,
      refused: [
        {
          id: a.id,
          message: "The affiliate's status has changed from pending to rejected. Review it again.",
        },
      ],
    })
    expect([(await show(a.id)).status, (await show(b.id)).status]).toEqual(['rejected', 'approved'])
    expect(await eventsAbout(a.id)).toEqual([])
    // Deliberately, from a page that shows the rejection.
    expect((await decide('approved', [a.id], showed('rejected', a))).body).toEqual({ done: 1, refused: [] })
    expect((await show(a.id)).status).toBe('approved')
    expect((await audited('affiliate.review'))[0].details).toEqual({ ids: [a.id], status: 'approved' })
  })

  it('leaves alone whom a colleague is rejecting at the same moment', async () => {
    const { id } = await join()
    const late = await whileHeld(
      scene.database,
      tx => updateAffiliate(tx, scene.account.id, id, { status: 'rejected' }),
      () =>
        admin.call('reviewAffiliates', {
          body: { ids: [id], status: 'approved', from: showed('pending', { id }) },
        }),
    )
    expect(late.body).toMatchObject({ done: 0, refused: [{ id }] })
    expect((await show(id)).status).toBe('rejected')
  })

  it.each([
    { ids: [], status: 'approved' },
    { ids: [1], status: 'pending' },
    { ids: [0], status: 'approved' },
    { ids: [1], status: 'approved', from: [{ id: 1, status: 'held' }] },
  ])('refuses %j', async body => expect((await admin.call('reviewAffiliates', { body })).status).toBe(422))
})

describe('keeps out', () => {
  const changes = (id: number) =>
    [
      ['createAffiliate', { body: { email: 'x@example.com', campaign_id: scene.place.campaign_id } }],
      ['updateAffiliate', { id, body: { name: 'x' } }],
      ['reviewAffiliates', { body: { ids: [id], status: 'approved' } }],
      ['importAffiliates', { body: { campaign_id: 1, csv: 'email\na@b.example', dry_run: true } }],
    ] as const

  it.each(['viewer', 'finance'] as const)('changes by a %s', async role => {
    const { id } = await join()
    const person = await Person.join(scene.app, scene.account.id, role)
    for (const [route, input] of changes(id)) expect((await person.call(route, input)).status).toBe(403)
    for (const route of ['getAffiliate', 'downloadStatement', 'exportAffiliates', 'listAffiliates'] as const)
      expect((await person.call(route, { id })).status).toBe(200)
    expect((await show(id)).status).toBe('pending')
  })

  it('people of other accounts', async () => {
    const { id } = await join()
    const account = await buildAccount(scene.database)
    const stranger = await Person.join(scene.app, account.id, 'owner')
    for (const route of ['getAffiliate', 'downloadStatement'] as const)
      expect((await stranger.call(route, { id })).status).toBe(404)
    expect((await stranger.call('updateAffiliate', { id, body: { name: 'x' } })).status).toBe(404)
    expect(
      (await stranger.call('reviewAffiliates', { body: { ids: [id], status: 'approved' } })).body,
    ).toMatchObject({ done: 0, refused: [{ id }] })
    expect(await list({}, stranger)).toEqual([])
    expect((await stranger.call('exportAffiliates')).text.split('\r\n')).toHaveLength(2)
    for (const [route, input] of changes(id))
      expect((await stranger.at(scene.account.id).call(route, input)).status).toBe(404)
  })
})
