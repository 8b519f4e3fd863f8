/** An import of affiliates: a rehearsal says line by line what would happen and leaves no trace; the real one does just that. */
import type { AffiliateDetail, AffiliateSummary } from '@tributary/contract/dashboard'
import { beforeAll, expect, it } from 'vitest'
import { buildAccount, buildAffiliate, buildCampaign } from '../factories.ts'
import { useScene } from '../harness.ts'
import { Person } from './person.ts'

const scene = useScene()
let admin: Person
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
})

const list = async (query: Record<string, unknown>): Promise<AffiliateSummary[]> =>
  (await admin.call('listAffiliates', { query })).body.data
const show = async (id: number): Promise<AffiliateDetail> => (await admin.call('getAffiliate', { id })).body
const send = (csv: string, dry_run = false, campaign_id = scene.place.campaign_id) =>
  admin.call('importAffiliates', { body: { campaign_id, csv, dry_run } })
const counts = async () =>
  (
    await scene.database.owner.query(
      `SELECT (SELECT count(*) FROM affiliates)::integer AS affiliates, (SELECT count(*) FROM enrolments)::integer AS enrolments,
              (SELECT count(*) FROM events)::integer AS events, (SELECT count(*) FROM audit_log)::integer AS audited`,
    )
  ).rows[0]

it('rehearsed leaves no trace, and then does what it said', async () => {
  const known = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id, {
    email: 'known@example.com',
    token: 'known-token',
  })
  const elsewhere = await buildCampaign(scene.database, scene.account.id)
  const other = await buildAffiliate(scene.database, scene.account.id, elsewhere.id)
  const csv = [
    '\uFEFFEmail,Name,token,Coupon code,paypal_email,tags,Favourite colour',
    'one@import.example,"One, Ltd.",one-token,ONE,pay@import.example,"vip; north",blue',
    'two@import.example,,,,,,',
    `${other.email},ignored,,,,,`,
    'KNOWN@example.com,,,,,,',
    '',
    'three@import.example,,known-token,,,,',
    'four@import.example,,,one,,,',
    'not an address,,,,,,',
    ',Nameless,,,,,',
    'five@import.example,,a b,,,,',
    'six@import.example,,,,nowhere,,',
    "'=seven@import.example,'-Seven,,,,,",
    'one@import.example,,,,,,',
    'eight@import.example,,,,,,,too many',
  ].join('\r\n')
  const before = await counts()
  const rehearsal = await send(csv, true)
  expect(rehearsal.body).toEqual({
    lines: 13,
    created: 3,
    enrolled: 1,
    unchanged: 2,
    refused: [
      { line: 7, email: 'three@import.example', reason: 'token is taken by another affiliate.' },
      { line: 8, email: 'four@import.example', reason: 'coupon_code is taken by another affiliate.' },
      { line: 9, email: 'not an address', reason: 'email must be an email address: not an address' },
      { line: 10, email: '', reason: 'email is missing' },
      {
        line: 11,
        email: 'five@import.example',
        reason: 'token must be 3 to 64 characters: A-Z, a-z, 0-9, _ and -: a b',
      },
      { line: 12, email: 'six@import.example', reason: 'paypal_email must be an email address: nowhere' },
      { line: 15, email: 'eight@import.example', reason: 'has more cells than the header row' },
    ],
    ignored_columns: ['favourite_colour'],
  })
  expect(await counts()).toEqual(before)
  expect((await send(csv)).body).toEqual(rehearsal.body)
  expect(await counts()).toEqual({
    affiliates: before.affiliates + 3,
    enrolments: before.enrolments + 4,
    events: before.events,
    audited: before.audited + 1,
  })
  const [one] = await list({ q: 'one-token' })
  expect(await show(one?.id as number)).toMatchObject({
    name: 'One, Ltd.',
    status: 'pending',
    coupon_code: 'ONE',
    paypal_email: 'pay@import.example',
    tags: ['vip', 'north'],
  })
  expect((await list({ q: '=seven' }))[0]?.name).toBe('-Seven')
  expect((await show(known.id)).token).toBe('known-token')
  const [entry] = (await admin.call('listAuditLog', { query: { action: 'affiliate.import' } })).body.data
  expect(entry.details).toMatchObject({ created: 3, refused: 7, csv: '…' })
})

it('reads what a spreadsheet pastes', async () => {
  const { body } = await send('email\tname\r\ntab@paste.example\tTab, by paste', true)
  expect(body).toMatchObject({ created: 1, refused: [] })
})

it.each([
  ['name\nAda', 'csv must start with a header row that includes email'],
  ['email', 'csv has no rows below the header'],
  ['email,email\na@b.example,b@b.example', 'csv has the column email twice'],
  ['email\n"a@b.example', 'csv has a quote on line 2 that is never closed'],
  [`email\n${'a@b.example\n'.repeat(5001)}`, 'csv has 5001 rows; at most 5000 can be imported at once'],
  [
    `email${',x'.repeat(100_000)}\n${'a@b.example\n'.repeat(5000)}`,
    'csv has 100001 columns; at most 200 are allowed',
  ],
])('refuses %.40j as a whole', async (csv, message) => {
  for (const dry of [true, false]) {
    const { status, body } = await send(csv, dry)
    expect([status, body.error.message]).toEqual([422, expect.stringContaining(message)])
  }
})

it('needs a campaign of the account', async () => {
  const elsewhere = await buildCampaign(scene.database, (await buildAccount(scene.database)).id)
  for (const dry of [true, false]) {
    const { status, body } = await send('email\na@b.example', dry, elsewhere.id)
    expect([status, body.error.message]).toEqual([
      422,
      'campaign_id does not match a campaign in this account.',
    ])
  }
})

it('reads what an export wrote, formulas and all', async () => {
  const from = await buildAccount(scene.database)
  const campaign = await buildCampaign(scene.database, from.id)
  const people = [
    { name: '=1+1', tags: ['-old', '＝wide', 'vip'], coupon_code: '+SAVE', token: '-token' },
    { name: "'=quoted; =again", tags: ["'-a"], coupon_code: '@home', token: 'token_2' },
    { name: 'Smith; "the" -boss, Ltd.', tags: [], coupon_code: '-20', token: 'token_3' },
  ].map((person, index) => ({ ...person, email: `+person${index}@export.example` }))
  for (const person of people) await buildAffiliate(scene.database, from.id, campaign.id, person)
  const reader = await Person.join(scene.app, from.id, 'viewer')
  const { text } = await reader.call('exportAffiliates')
  expect((await send(text)).body).toMatchObject({ created: 3, refused: [] })
  for (const { email, name, tags, coupon_code, token } of people) {
    const [found] = await list({ q: email })
    expect(await show(found?.id as number)).toMatchObject({ email, name, tags, coupon_code, token })
  }
})
