/**
 * Protects the lists of affiliates and campaigns: their figures are those of the explorer, an order by a figure is the same on every
 * page and in the file, and each row is listed exactly once.
 */
import { type ListSort, listSorts } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeDays, rollUpDay } from '../../src/insight/roll-up.ts'
import { parseCsv } from '../../src/kit/parse-csv.ts'
import { buildAffiliate, buildCampaign, buildCommission, buildReferral, unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { Person } from './person.ts'

const scene = useScene()
let viewer: Person
/** Of the affiliates in the order of their creation. */
let ids: number[]
let second: number
const run = (statement: string, values: unknown[]) => scene.database.owner.query(statement, values)

/** What each affiliate brought in the last 30 days: clicks, conversions, and a sale in each currency for every conversion. */
const business = [
  { clicks: 4, conversions: 1, amounts: { USD: 5000 } },
  { clicks: 0, conversions: 0, amounts: {} },
  { clicks: 10, conversions: 2, amounts: { USD: 1000, EUR: 90_000 } },
  { clicks: 4, conversions: 3, amounts: { USD: 2000 } },
  { clicks: 1, conversions: 0, amounts: {} },
]

async function trade(place: typeof scene.place, { clicks, conversions, amounts }: (typeof business)[number]) {
  const { database } = scene
  const at = new Date(Date.now() - 5 * 86_400_000).toISOString()
  for (let click = 0; click < clicks; click++)
    await run(
      `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, landing_url, created_at)
       VALUES ($1, $2, $3, false, 'https://shop.example/', $4)`,
      [place.account_id, place.campaign_id, place.affiliate_id, at],
    )
  for (let conversion = 0; conversion < conversions; conversion++) {
    const referral_id = await buildReferral(database, place, { occurred_at: at })
    for (const [currency, amount] of Object.entries(amounts)) {
      await run(
        `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
         VALUES ($1, $2, $2, $3, $4, $5, $6)`,
        [place.account_id, unique('sale'), referral_id, amount, currency, at],
      )
      await buildCommission(database, place, {
        referral_id,
        amount_minor: amount / 10,
        currency,
        payout_amount_minor: amount / 10,
        payout_currency: currency,
        created_at: at,
      })
    }
  }
}

beforeAll(async () => {
  const { app, database, account, place } = scene
  viewer = await Person.join(app, account.id, 'viewer')
  ids = [place.affiliate_id]
  while (ids.length < business.length)
    ids.push((await buildAffiliate(database, account.id, place.campaign_id)).id)
  for (const [index, each] of business.entries())
    await trade({ ...place, affiliate_id: ids[index] as number }, each)
  second = (await buildCampaign(database, account.id)).id
  await trade({ ...place, campaign_id: second }, { clicks: 1, conversions: 1, amounts: { USD: 100 } })
})

type Query = Record<string, unknown>

async function list(query: Query, route: 'listAffiliates' | 'listCampaigns' = 'listAffiliates') {
  const { status, body } = await viewer.call(route, { query })
  expect(status).toBe(200)
  return body
}

/** Every row, one page after the other. */
async function pages(query: Query, limit: number, route?: 'listCampaigns') {
  const rows: { id: number }[] = []
  let after: number | null = null
  do {
    const { data, next } = await list({ ...query, limit, ...(after && { after }) }, route)
    rows.push(...data)
    after = next
  } while (after)
  return rows.map(({ id }) => id)
}

const places = (list: number[]) => list.map(id => ids.indexOf(id))

/** The sums include the second campaign's click, conversion and $1. */
const inOrder: Record<ListSort, number[]> = {
  clicks: [2, 0, 3, 4, 1],
  conversions: [3, 2, 0, 4, 1],
  conversion_rate: [3, 0, 2, 4, 1],
  // In EUR, which has the most.
  revenue: [2, 4, 3, 1, 0],
  commissions: [2, 4, 3, 1, 0],
}

describe.each(['read from the rows', 'rolled up'])('%s', state => {
  beforeAll(async () => {
    if (state === 'read from the rows') return
    await closeDays(
      scene.database.db,
      scene.account.id,
      { at: new Date().toISOString() },
      { retentionDays: 10_000 },
    )
    while (await rollUpDay(scene.database.db, scene.account.id, 10_000));
  })

  it.each(listSorts)('by %s: the same order on pages of any size and in the file', async sort => {
    for (const limit of [1, 2, 50]) expect(places(await pages({ sort }, limit))).toEqual(inOrder[sort])
    const file = await viewer.call('exportAffiliates', { query: { sort } })
    const [, ...rows] = parseCsv(file.text).map(({ cells }) => cells)
    expect(places(rows.map(([id]) => Number(id)))).toEqual(inOrder[sort])
  })

  it('a row has the figures of the explorer', async () => {
    const { data, period } = await list({ sort: 'revenue', period: 'last7' })
    const explored = (await viewer.call('explore', { query: { ...days(period), by: 'affiliate' } })).body
    expect(period.currency).toBe('EUR')
    for (const { id, performance } of data) {
      const row = explored.rows.find(({ key }: { key: string }) => key === String(id))
      expect(performance).toEqual(
        row?.now ?? expect.objectContaining({ clicks: 0, conversions: 0, money: [] }),
      )
    }
    expect(data[0].performance.money.map(({ currency }: { currency: string }) => currency)).toEqual([
      'EUR',
      'USD',
    ])
  })

  it('filters apply to the order, and a campaign to the figures as well', async () => {
    const query = { campaign_id: scene.place.campaign_id, sort: 'clicks', period: 'last30' }
    const { data } = await list(query)
    const clicks = data.map(({ performance }: { performance: { clicks: number } }) => performance.clicks)
    expect(clicks).toEqual([10, 4, 4, 1, 0])
    // Without the click in the second campaign, the newest of two equals comes first.
    expect(places(data.map(({ id }: { id: number }) => id))).toEqual([2, 3, 0, 4, 1])
    expect(await pages({ ...query, status: 'rejected' }, 2)).toEqual([])
  })

  it('campaigns by a figure', async () => {
    const first = scene.place.campaign_id
    expect(await pages({ sort: 'clicks' }, 1, 'listCampaigns')).toEqual([first, second])
    expect(await pages({ sort: 'conversion_rate' }, 1, 'listCampaigns')).toEqual([second, first])
    const { data } = await list({ period: 'last30' }, 'listCampaigns')
    expect(data[0].performance).toMatchObject({ clicks: 1, conversions: 1 })
    const file = await viewer.call('exportCampaigns', { query: { sort: 'conversion_rate' } })
    const [head, ...rows] = parseCsv(file.text).map(({ cells }) => cells)
    expect(head?.slice(-7)).toEqual(
      'clicks conversions conversion_rate revenue_EUR commissions_EUR revenue_USD commissions_USD'.split(' '),
    )
    expect(rows.map(cells => cells.slice(-7))).toEqual([
      ['1', '1', '1.0000', '0.00', '0.00', '1.00', '0.10'],
      ['19', '6', '0.3158', '1800.00', '180.00', '130.00', '13.00'],
    ])
  })
})

const days = ({ from, to }: { from: string; to: string }) => ({ from, to })

it('without a period, a row has no figures, and the file no columns for them', async () => {
  const { data, period } = await list({})
  expect([period, data[0].performance]).toEqual([null, null])
  const plain = await viewer.call('exportAffiliates', { query: {} })
  expect(plain.text.split('\r\n')[0]).toMatch(/,owed$/)
  const full = await viewer.call('exportAffiliates', { query: { period: 'last30' } })
  const [head, ...rows] = parseCsv(full.text).map(({ cells }) => cells)
  expect(head?.slice(-5)).toEqual(
    'conversion_rate revenue_EUR commissions_EUR revenue_USD commissions_USD'.split(' '),
  )
  expect(rows.find(([id]) => id === String(ids[1]))?.slice(-7)).toEqual([
    '0',
    '0',
    '',
    '0.00',
    '0.00',
    '0.00',
    '0.00',
  ])
})

it('refuses an order or a period that is none', async () => {
  for (const query of [{ sort: 'luck' }, { period: 'someday' }])
    expect((await viewer.call('listAffiliates', { query })).status).toBe(422)
})
