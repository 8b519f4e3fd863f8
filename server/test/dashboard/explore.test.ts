/** What the explorer shows: any range in the account's days, broken down and compared, the same whether rolled up or not. */
import { type Exploration, exploreSources } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { MOST_CROSSED } from '../../src/insight/crossed-sums.store.ts'
import { closeDays, rollUpDay } from '../../src/insight/roll-up.ts'
import { buildAffiliate, buildCommission, buildReferral, unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { Person } from './person.ts'

const scene = useScene()
let viewer: Person
let other: number
const run = (statement: string, values: unknown[]) => scene.database.owner.query(statement, values)

/** Two days of January 2026, one of January 2025, and two affiliates. */
beforeAll(async () => {
  const { app, database, account, place } = scene
  viewer = await Person.join(app, account.id, 'viewer')
  other = (await buildAffiliate(database, account.id, place.campaign_id, { name: 'Zoë' })).id
  const click = async (affiliateId: number, at: string, landing: string): Promise<number> => {
    const { rows } = await run(
      `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, landing_url, created_at)
       VALUES ($1, $2, $3, false, $4, $5) RETURNING id`,
      [account.id, place.campaign_id, affiliateId, landing, at],
    )
    return rows[0].id
  }
  const news = await click(other, '2026-01-05T10:00:00Z', 'https://shop.example/?utm_source=news')
  await click(other, '2026-01-05T11:00:00Z', 'https://shop.example/')
  await click(place.affiliate_id, '2026-01-07T11:00:00Z', 'https://shop.example/')
  await click(place.affiliate_id, '2025-01-07T11:00:00Z', 'https://shop.example/')
  for (const [affiliate_id, at] of [
    [other, '2026-01-05T12:00:00Z'],
    [place.affiliate_id, '2026-01-07T12:00:00Z'],
  ] as const) {
    const referral_id = await buildReferral(database, { ...place, affiliate_id }, { occurred_at: at })
    if (affiliate_id === other)
      await run(
        `INSERT INTO conversions (account_id, campaign_id, customer_ref, referral_id, attribution, occurred_at) VALUES ($1, $2, $3, $4, $5, $6)`,
        [
          account.id,
          place.campaign_id,
          unique('customer'),
          referral_id,
          { candidates: [{ click_id: news, outcome: 'won' }] },
          at,
        ],
      )
    await run(
      `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
       VALUES ($1, $2, $2, $3, 10000, 'USD', $4)`,
      [account.id, unique('sale'), referral_id, at],
    )
    const amount_minor = affiliate_id === other ? 2500 : 1000
    await buildCommission(
      database,
      { ...place, affiliate_id },
      { referral_id, amount_minor, payout_amount_minor: amount_minor, created_at: at },
    )
  }
})

async function ask(query: Record<string, unknown>): Promise<Exploration> {
  const { status, body } = await viewer.call('explore', { query })
  expect(status).toBe(200)
  return body
}

const january = { from: '2026-01-01', to: '2026-01-31' }
const counted = ({ rows }: Exploration) =>
  rows.map(({ label, now }) => [label, now.clicks, now.conversions, now.money[0]?.commissions_minor ?? 0])

describe.each(['read from the rows', 'rolled up'])('%s', state => {
  beforeAll(async () => {
    if (state === 'read from the rows') return
    const { db } = scene.database
    await closeDays(db, scene.account.id, { at: new Date().toISOString() }, { retentionDays: 10_000 })
    while (await rollUpDay(db, scene.account.id, 10_000));
  })

  it('by day, week and month', async () => {
    expect(counted(await ask(january))).toEqual([
      ['2026-01-05', 2, 1, 2500],
      ['2026-01-07', 1, 1, 1000],
    ])
    expect(counted(await ask({ ...january, by: 'week' }))).toEqual([['2026-01-05', 3, 2, 3500]])
    expect(counted(await ask({ ...january, by: 'month' }))).toEqual([['2026-01-01', 3, 2, 3500]])
  })

  it('by affiliate and campaign, sorted, and of one of them', async () => {
    const { email } = (await scene.api.get(`/affiliates/${scene.place.affiliate_id}`)).body
    const zoe = ['Zoë', 2, 1, 2500]
    const first = [email, 1, 1, 1000]
    expect(counted(await ask({ ...january, by: 'affiliate' }))).toEqual([zoe, first])
    expect(counted(await ask({ ...january, by: 'affiliate', affiliate_id: other }))).toEqual([zoe])
    for (const [sort, order] of [
      ['conversion_rate', [first, zoe]],
      ['commission_per_click', [zoe, first]],
    ])
      expect([sort, counted(await ask({ ...january, by: 'affiliate', sort }))]).toEqual([sort, order])
    expect(counted(await ask({ ...january, by: 'campaign' }))).toEqual([['Programme', 3, 2, 3500]])
    const ofNone = await ask({ ...january, by: 'campaign', campaign_id: scene.place.campaign_id + 999_999 })
    expect(ofNone.rows).toEqual([])
  })

  it('by source, with the money of the customers it won', async () => {
    const sources = await ask({ ...january, by: 'utm_source', sort: 'clicks' })
    expect(sources.active_affiliates).toBe(null)
    expect(counted(sources)).toEqual([
      ['(none)', 2, 0, 0],
      ['news', 1, 1, 2500],
      ['(no click)', 0, 1, 1000],
    ])
    expect(sources.total.now).toEqual((await ask({ ...january, by: 'campaign' })).total.now)
    const inOrder = async (sort: string) =>
      (await ask({ ...january, by: 'utm_source', sort })).rows.map(({ key }) => key)
    expect(await inOrder('commissions')).toEqual(['news', '(no click)', '(none)'])
    // Without clicks, there is no ratio to them.
    for (const sort of ['conversion_rate', 'commission_per_click'])
      expect([sort, await inOrder(sort)]).toEqual([sort, ['news', '(none)', '(no click)']])
  })

  it('of one source, by time and campaign', async () => {
    const news = { ...january, source: 'utm_source', source_value: 'news' }
    const byDay = await ask(news)
    expect([byDay.active_affiliates, byDay.currency]).toEqual([null, 'USD'])
    expect([byDay.source_label, (await ask(january)).source_label]).toEqual(['news', null])
    expect(counted(byDay)).toEqual([['2026-01-05', 1, 1, 2500]])
    expect(counted(await ask({ ...news, by: 'month' }))).toEqual([['2026-01-01', 1, 1, 2500]])
    expect(counted(await ask({ ...news, by: 'campaign' }))).toEqual([['Programme', 1, 1, 2500]])
    expect(counted(await ask({ ...news, by: 'utm_source' }))).toEqual([['news', 1, 1, 2500]])
    const none = await ask({ ...news, source_value: '(none)', compare: 'year' })
    expect([none.total.now.clicks, none.total.before.clicks]).toEqual([2, 1])
    expect((await ask({ ...news, campaign_id: scene.place.campaign_id + 999_999 })).rows).toEqual([])
    const file = await viewer.call('exportExploration', { query: news })
    expect(file.text.split('\r\n')[1]).toBe('2026-01-05,1,1,0,1,1,1,0,100.00,0.00,25.00')
  })

  it('of an affiliate by source, of a source by affiliate, and of one source by another', async () => {
    const { affiliate_id } = scene.place
    const { email } = (await scene.api.get(`/affiliates/${affiliate_id}`)).body
    const news = { ...january, source: 'utm_source', source_value: 'news' }
    const none = { ...news, source_value: '(none)' }
    const ofZoe = await ask({ ...january, by: 'utm_source', affiliate_id: other })
    expect(counted(ofZoe)).toEqual([
      ['news', 1, 1, 2500],
      ['(none)', 1, 0, 0],
    ])
    expect(ofZoe.total.now).toEqual((await ask({ ...january, affiliate_id: other })).total.now)
    const ofNews = await ask({ ...news, by: 'affiliate' })
    expect([counted(ofNews), ofNews.active_affiliates]).toEqual([
      [['Zoë', 1, 1, 2500]],
      { now: 1, before: 0 },
    ])
    const ofNone = await ask({ ...none, by: 'affiliate', sort: 'clicks', compare: 'year' })
    expect(counted(ofNone).toSorted()).toEqual(
      [
        ['Zoë', 1, 0, 0],
        [email, 1, 0, 0],
      ].toSorted(),
    )
    expect(ofNone.rows.map(({ label, before }) => [label, before?.clicks]).toSorted()).toEqual(
      [
        ['Zoë', 0],
        [email, 1],
      ].toSorted(),
    )
    expect(counted(await ask({ ...news, by: 'day', affiliate_id: other }))).toEqual([
      ['2026-01-05', 1, 1, 2500],
    ])
    expect(counted(await ask({ ...news, by: 'campaign', affiliate_id: other }))).toEqual([
      ['Programme', 1, 1, 2500],
    ])
    expect(counted(await ask({ ...news, affiliate_id }))).toEqual([])
    expect(counted(await ask({ ...news, by: 'landing_page' }))).toEqual([
      ['https://shop.example/', 1, 1, 2500],
    ])
    const file = await viewer.call('exportExploration', { query: { ...news, by: 'affiliate' } })
    expect(file.text.split('\r\n')[1]).toBe(`${other},Zoë,1,1,0,1,1,1,0,100.00,0.00,25.00`)
  })

  it('of an affiliate by source, what is not known of is the rest', async () => {
    const { affiliate_id } = scene.place
    const sources = async () => counted(await ask({ ...january, by: 'referrer', affiliate_id }))
    const before = await sources()
    expect(before).toEqual([
      ['(no click)', 0, 1, 1000],
      ['(none)', 1, 0, 0],
    ])
    if (state !== 'rolled up') return
    // Clicks are dropped after their retention; what was counted of them stays.
    const own = `account_id = ${scene.account.id} AND affiliate_id = ${affiliate_id}`
    await run(`UPDATE clicks SET is_bot = true WHERE ${own}`, [])
    expect(await sources()).toEqual([
      ['(no click)', 0, 1, 1000],
      ['(other)', 1, 0, 0],
    ])
    await run(`UPDATE clicks SET is_bot = false WHERE ${own}`, [])
  })

  it('by link: an affiliate’s, in a campaign, to a page', async () => {
    const { campaign_id, affiliate_id } = scene.place
    const { email } = (await scene.api.get(`/affiliates/${affiliate_id}`)).body
    const links = await ask({ ...january, by: 'link', sort: 'clicks' })
    const page = 'https://shop.example/'
    expect(links.rows.map(({ key }) => key)).toEqual([
      `${campaign_id} ${other} ${page}`,
      `${campaign_id} ${affiliate_id} ${page}`,
      '(no click)',
    ])
    const zoe = ['Zoë · Programme · shop.example/', 2, 1, 2500]
    const first = [`${email} · Programme · shop.example/`, 1, 0, 0]
    expect(counted(links)).toEqual([zoe, first, ['(no click)', 0, 1, 1000]])
    const ofZoe = await ask({ ...january, by: 'link', affiliate_id: other })
    expect([counted(ofZoe), ofZoe.total.now.clicks]).toEqual([[zoe], 2])
    // What no link brought is shown, so that all of an affiliate is.
    const ofFirst = await ask({ ...january, by: 'link', sort: 'clicks', affiliate_id })
    expect(counted(ofFirst)).toEqual([first, ['(other)', 0, 1, 1000]])
    expect(ofFirst.total.now).toEqual((await ask({ ...january, by: 'campaign', affiliate_id })).total.now)
    const link = { ...january, source: 'link', source_value: links.rows[0]?.key }
    const ofOne = await ask(link)
    expect([ofOne.source_label, counted(ofOne)]).toEqual([
      'Zoë · Programme · shop.example/',
      [['2026-01-05', 2, 1, 2500]],
    ])
    const file = await viewer.call('exportExploration', { query: { ...link, by: 'link' } })
    expect(file.text.split('\r\n')[0]).toMatch(/^link_id,link,clicks,/)
    expect(file.text.split('\r\n')[1]).toBe(
      `${links.rows[0]?.key},Zoë · Programme · shop.example/,2,2,0,1,1,1,0,100.00,0.00,25.00`,
    )
  })

  it('compared with the period before, or with the year before', async () => {
    const { total, before, active_affiliates, currency } = await ask({ ...january, compare: 'year' })
    expect(before).toEqual({ from: '2025-01-01', to: '2025-01-31' })
    expect([total.now.clicks, total.before.clicks]).toEqual([3, 1])
    expect(total.now.money).toEqual([
      { currency: 'USD', revenue_minor: 20_000, refunded_minor: 0, commissions_minor: 3500 },
    ])
    expect([total.now.customers, currency]).toEqual([2, 'USD'])
    expect(active_affiliates).toEqual({ now: 2, before: 1 })
    expect((await ask({ from: '2026-01-06', to: '2026-01-07' })).before).toEqual({
      from: '2026-01-04',
      to: '2026-01-05',
    })
  })
})

it('its numbers are those of the lists that they lead to', async () => {
  const { database, place } = scene
  const at = '2026-01-06T12:00:00Z'
  await buildReferral(database, place, { occurred_at: at, status: 'rejected' })
  const test = await buildReferral(database, place, { occurred_at: at, is_test: true })
  await buildCommission(database, place, { referral_id: test, created_at: at })
  await buildCommission(database, place, { entry_type: 'adjustment', created_at: at })
  const days = { from: january.from, until: january.to }
  const { rows, total } = await ask({ ...january, by: 'affiliate' })
  for (const { key, now } of [{ key: undefined, now: total.now }, ...rows]) {
    const query = { ...days, ...(key && { affiliate_id: Number(key) }), is_counted: true }
    const referrals = (await viewer.call('listReferrals', { query })).body.data
    expect(referrals.length).toBe(now.conversions)
    const commissions: { payout_amount_minor: number }[] = (await viewer.call('listCommissions', { query }))
      .body.data
    const sum = commissions.reduce((all, each) => all + each.payout_amount_minor, 0)
    expect(sum).toBe(now.money[0]?.commissions_minor)
  }
  expect(total.now.conversions).toBe(2)
  for (const by of exploreSources)
    for (const { key, now } of (await ask({ ...january, by })).rows) {
      const query = { ...days, source: by, source_value: key, is_counted: true }
      const { data } = (await viewer.call('listReferrals', { query })).body
      expect([by, key, data.length]).toEqual([by, key, now.conversions])
      const commissions: { payout_amount_minor: number }[] = (await viewer.call('listCommissions', { query }))
        .body.data
      const sum = commissions.reduce((all, each) => all + each.payout_amount_minor, 0)
      expect([by, key, sum]).toEqual([by, key, now.money[0]?.commissions_minor ?? 0])
      const sales: { amount_minor: number }[] = (await viewer.call('listSales', { query })).body.data
      const revenue = sales.reduce((all, each) => all + each.amount_minor, 0)
      expect([by, key, sales.length, revenue]).toEqual([by, key, now.sales, now.money[0]?.revenue_minor ?? 0])
      const clicks = (await viewer.call('listClicks', { query })).body.data
      expect([by, key, clicks.length]).toEqual([by, key, now.clicks])
      for (const [route, list] of [
        ['exportReferrals', data],
        ['exportCommissions', commissions],
        ['exportSales', sales],
        ['exportClicks', clicks],
      ] as const) {
        const file = (await viewer.call(route, { query })).text
        expect([route, file.trim().split('\r\n').length]).toEqual([route, 1 + list.length])
      }
    }
  for (const route of ['listReferrals', 'listCommissions', 'listSales', 'listClicks'] as const)
    expect((await viewer.call(route, { query: { source: 'referrer' } })).status).toBe(422)
})

it('a list of all sales, and its file, have the reason why one doesn’t count', async () => {
  const { database, account, place } = scene
  const at = '2026-03-06T12:00:00Z'
  const sale = async (id: string, referral: Parameters<typeof buildReferral>[2], replacedBy?: number) => {
    const referral_id = await buildReferral(database, place, { occurred_at: at, ...referral })
    const { rows } = await run(
      `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at, replaced_by)
       VALUES ($1, $2, $2, $3, 100, 'USD', $4, $5) RETURNING id`,
      [account.id, id, referral_id, at, replacedBy],
    )
    return Number(rows[0].id)
  }
  const counted = await sale('counted', {})
  await sale('test', { is_test: true })
  await sale('rejected', { status: 'rejected' })
  await sale('replaced', {}, counted)
  const query = { from: '2026-03-06', until: '2026-03-06' }
  const listed = async (also: object) => {
    const { body } = await viewer.call('listSales', { query: { ...query, ...also, order: 'oldest' } })
    return body.data.map((row: { external_id: string; status: string }) => [row.external_id, row.status])
  }
  const all = ['counted', 'test', 'rejected', 'replaced']
  expect(await listed({})).toEqual(all.map(name => [name, name]))
  expect(await listed({ is_counted: true })).toEqual([['counted', 'counted']])
  const file: string = (await viewer.call('exportSales', { query })).text
  const [head, ...lines] = file.trim().split('\r\n')
  expect(head?.split(',').at(-1)).toBe('status')
  expect(lines.map(line => line.split(',').at(-1))).toEqual(all.toReversed())
})

it('as a file: every row, with a column for each currency, and a range that is none is refused', async () => {
  const file = await viewer.call('exportExploration', { query: { ...january, by: 'utm_source' } })
  expect(file.text.split('\r\n')).toEqual([
    'utm_source,clicks,unique_clicks,leads,conversions,customers,sales,refunds,revenue_USD,refunded_USD,commissions_USD',
    'news,1,1,0,1,1,1,0,100.00,0.00,25.00',
    '(no click),0,0,0,1,1,1,0,100.00,0.00,10.00',
    '(none),2,2,0,0,0,0,0,0.00,0.00,0.00',
    '',
  ])
  const byDay = await viewer.call('exportExploration', { query: january })
  expect(byDay.text).toContain('2026-01-05,2,2,0,1,1,1,0,100.00,0.00,25.00')
  const query = { from: '2026-02-02', to: '2026-02-01' }
  expect((await viewer.call('exportExploration', { query })).status).toBe(422)
})

it('is the last 30 days, today included, if no range is given', async () => {
  const { from, to, today } = await ask({})
  expect(to).toBe(today)
  expect((Date.parse(to) - Date.parse(from)) / 86_400_000).toBe(29)
})

it('refuses to count more clicks and sales by affiliate and source than it can read in a moment', async () => {
  const { account, place } = scene
  const [visits, day] = [{ from: '2026-03-01', to: '2026-03-31' }, '2026-03-05']
  const add = (clicks: number) =>
    run(
      `INSERT INTO insight_visits (account_id, day, campaign_id, affiliate_id, clicks, unique_clicks, leads) VALUES ($1, $2, $3, $4, $5, 0, 0)
       ON CONFLICT (account_id, day, campaign_id, affiliate_id) DO UPDATE SET clicks = $5`,
      [account.id, day, place.campaign_id, place.affiliate_id, clicks],
    )
  const ofSource = { ...visits, by: 'affiliate', source: 'utm_source', source_value: 'news' }
  const ofAffiliate = { ...visits, by: 'utm_source', affiliate_id: place.affiliate_id }
  for (const query of [ofSource, ofAffiliate]) {
    await add(MOST_CROSSED)
    await ask(query)
    await add(MOST_CROSSED + 1)
    const { status, body } = await viewer.call('explore', { query })
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.message).toBe(
      'from must be later: at most 200,000 clicks and sales can be counted by affiliate and source, and 2026-03-01 to 2026-03-31 has 200,001.',
    )
    // Others' don't count for an affiliate.
    await ask({ ...ofAffiliate, affiliate_id: other })
    await run('DELETE FROM insight_visits WHERE account_id = $1 AND day = $2', [account.id, day])
  }
})

it('reads a question that many ask at once for one of them, and once more for the others', async () => {
  const { app, database, account } = scene
  const owner = await database.owner.connect()
  const waiting = async () =>
    (await owner.query(`SELECT 1 FROM pg_locks WHERE relation = 'clicks'::regclass AND NOT granted`)).rowCount
  const query = { ...january, by: 'affiliate', source: 'utm_source', source_value: 'news' }
  try {
    await owner.query('BEGIN; LOCK TABLE clicks IN ACCESS EXCLUSIVE MODE')
    const first = ask(query)
    // The range, and the one that it is compared with.
    await expect.poll(waiting).toBe(2)
    const others = Array.from({ length: 20 }, () => ask(query))
    const stranger = await Person.join(app, account.id, 'viewer')
    const another = stranger.call('explore', { query: { ...query, sort: 'clicks' } })
    await expect.poll(waiting).toBe(4)
    expect(await waiting()).toBe(4)
    await owner.query('COMMIT')
    const answers = await Promise.all([first, ...others])
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1)
    expect((await another).status).toBe(200)
  } finally {
    await owner.query('ROLLBACK')
    owner.release()
  }
})

it('has nothing for a link that can’t be', async () => {
  const { total } = await ask({ source: 'link', source_value: '99999999999999999999 1' })
  expect(total.now.clicks).toBe(0)
})

it.each([
  [{ from: '2026-02-31' }],
  [{ from: '2026-02-02', to: '2026-02-01' }],
  [{ from: '2020-01-01', to: '2026-01-01' }],
  [{ by: 'weather' }],
  [{ source: 'utm_source' }],
  [{ source_value: 'news' }],
  [{ source: 'campaign', source_value: '1' }],
  [{ source: 'utm_source', source_value: '(other)', by: 'affiliate' }],
  [{ source: 'utm_source', source_value: '(other)', by: 'referrer' }],
])('refuses %o', async query => {
  expect((await viewer.call('explore', { query })).status).toBe(422)
})
