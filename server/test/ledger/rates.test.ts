/** Protects the exchange: a rate is the one that was set or published for its day, no older than allowed, and its source is recorded. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { rateOn } from '../../src/money/fx/exchange.ts'
import { fetchRates } from '../../src/money/fx/fetch-rates.ts'
import { setRate } from '../../src/money/fx/set-rate.ts'
import { createDatabase, type TestDatabase } from '../harness.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
beforeEach(() => database.owner.query('TRUNCATE fx_rates'))
afterAll(() => database.drop())

const set = (from: string, to: string, rate: string, day: string) =>
  setRate(database.db, { from, to, rate, day })
const publish = (quote: string, rate: string, day: string) =>
  database.owner.query(
    `INSERT INTO fx_rates (base, quote, day, rate, source) VALUES ('EUR', $1, $2, $3, 'ecb')`,
    [quote, day, rate],
  )
const on = (from: string, to: string, day: string) => rateOn(database.db, from, to, day)

describe('a pair', () => {
  it('directly', async () => {
    await set('EUR', 'USD', '1.0850', '2026-01-30')
    expect(await on('EUR', 'USD', '2026-01-30')).toMatchObject({
      text: '1.085',
      source: 'manual 2026-01-30 EUR/USD 1.0850',
    })
  })

  it('turned round', async () => {
    await set('EUR', 'USD', '1.25', '2026-01-30')
    expect(await on('USD', 'EUR', '2026-01-30')).toMatchObject({
      text: '0.8',
      source: 'manual 2026-01-30 EUR/USD 1.25',
    })
  })

  it('through the euro', async () => {
    await publish('USD', '1.25', '2026-01-30')
    await publish('JPY', '162.5', '2026-01-29')
    expect(await on('USD', 'JPY', '2026-01-30')).toMatchObject({
      text: '130',
      source: 'ecb 2026-01-30 EUR/USD 1.25, ecb 2026-01-29 EUR/JPY 162.5',
    })
  })

  it('directly before through the euro, until both halves have a newer rate', async () => {
    await publish('USD', '1.25', '2026-01-30')
    await publish('JPY', '162.5', '2026-01-30')
    await set('USD', 'JPY', '150', '2026-01-30')
    expect((await on('USD', 'JPY', '2026-01-30'))?.text).toBe('150')
    expect((await on('JPY', 'USD', '2026-01-30'))?.source).toBe('manual 2026-01-30 USD/JPY 150')
    await publish('USD', '1.25', '2026-01-31')
    expect((await on('USD', 'JPY', '2026-01-31'))?.text).toBe('150')
    await publish('JPY', '162.5', '2026-01-31')
    expect((await on('USD', 'JPY', '2026-01-31'))?.text).toBe('130')
    expect((await on('USD', 'JPY', '2026-01-30'))?.text).toBe('150')
  })

  it('through the euro with a half that was set turned round', async () => {
    await publish('USD', '1.25', '2026-01-30')
    await set('JPY', 'EUR', '0.005', '2026-01-30')
    expect((await on('USD', 'JPY', '2026-01-30'))?.text).toBe('160')
    expect((await on('JPY', 'USD', '2026-01-30'))?.text).toBe('0.00625')
  })

  it('of two that were set for one day, one of them turned round, each in its direction', async () => {
    await set('EUR', 'USD', '1.25', '2026-01-30')
    await set('USD', 'EUR', '0.5', '2026-01-30')
    expect((await on('EUR', 'USD', '2026-01-30'))?.text).toBe('1.25')
    expect((await on('USD', 'EUR', '2026-01-30'))?.text).toBe('0.5')
  })

  it('unknown where a half of it is', async () => {
    await publish('USD', '1.25', '2026-01-30')
    expect(await on('USD', 'JPY', '2026-01-30')).toBeUndefined()
    expect(await on('GBP', 'CHF', '2026-01-30')).toBeUndefined()
  })
})

describe('age', () => {
  it.each([
    ['2026-01-29', undefined],
    ['2026-01-30', '1.25'],
    ['2026-02-05', '1.25'],
    ['2026-02-06', undefined],
  ])('what was published on 30 January is, on %s, %s', async (day, expected) => {
    await publish('USD', '1.25', '2026-01-30')
    expect((await on('EUR', 'USD', day))?.text).toBe(expected)
  })

  it('what a person set for a day is not replaced for that day, but by what is published for a later one', async () => {
    await set('EUR', 'USD', '1.1', '2026-01-30')
    await publish('USD', '1.25', '2026-01-31')
    expect((await on('EUR', 'USD', '2026-01-30'))?.text).toBe('1.1')
    expect((await on('EUR', 'USD', '2026-01-31'))?.source).toBe('ecb 2026-01-31 EUR/USD 1.25')
    await set('EUR', 'USD', '1.1', '2026-01-31')
    expect((await on('EUR', 'USD', '2026-01-31'))?.source).toBe('manual 2026-01-31 EUR/USD 1.1')
  })

  it('what a person set is replaced by what is published later the other way round', async () => {
    await set('USD', 'EUR', '0.9', '2026-01-30')
    await publish('USD', '1.25', '2026-01-30')
    expect((await on('USD', 'EUR', '2026-01-30'))?.text).toBe('0.9')
    expect((await on('EUR', 'USD', '2026-01-30'))?.source).toBe('manual 2026-01-30 USD/EUR 0.9')
    await publish('USD', '1.25', '2026-01-31')
    expect((await on('USD', 'EUR', '2026-01-31'))?.text).toBe('0.8')
    expect((await on('USD', 'EUR', '2026-01-30'))?.text).toBe('0.9')
  })

  it('what a person set is not valid again once what replaced it is too old', async () => {
    await set('EUR', 'USD', '1.1', '2026-01-01')
    await publish('USD', '1.25', '2026-01-30')
    expect((await on('EUR', 'USD', '2026-02-05'))?.text).toBe('1.25')
    expect(await on('EUR', 'USD', '2026-02-06')).toBeUndefined()
  })

  it('what a person set serves until they set another, never before its day', async () => {
    await set('EUR', 'USD', '1.1', '2020-01-01')
    await set('EUR', 'USD', '1.2', '2026-01-01')
    expect(await on('EUR', 'USD', '2019-12-31')).toBeUndefined()
    expect((await on('EUR', 'USD', '2025-12-31'))?.text).toBe('1.1')
    expect((await on('EUR', 'USD', '2030-12-31'))?.text).toBe('1.2')
  })
})

describe.each([
  [{ from: 'eur' }, 'from'],
  [{ from: 'QQQ' }, 'from'],
  [{ to: 'EUR' }, 'to'],
  [{ rate: '0' }, 'rate'],
  [{ rate: '-1' }, 'rate'],
  [{ rate: '1e3' }, 'rate'],
  [{ rate: '1,5' }, 'rate'],
  [{ day: '2026-02-30' }, 'day'],
  [{ day: '30.01.2026' }, 'day'],
])('setting %o', (change, field) => {
  it(`is refused by the name of ${field}`, async () => {
    const work = (async () =>
      setRate(database.db, { from: 'EUR', to: 'USD', rate: '1.1', day: '2026-01-30', ...change }))()
    await expect(work).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(field),
    })
  })
})

describe('fetching', () => {
  let answer = { status: 200, body: '' }
  const server = createServer((_request, response) => response.writeHead(answer.status).end(answer.body))
  let url = ''
  beforeAll(async () => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterAll(() => server.close())
  const file = (usd: string) =>
    `<Cube><Cube time='2026-01-30'><Cube currency='USD' rate='${usd}'/><Cube currency='JPY' rate='162.5'/></Cube></Cube>`

  it('keeps the rates, and a corrected file corrects them', async () => {
    answer = { status: 200, body: file('1.25') }
    expect(await fetchRates(database.db, url)).toBe(2)
    answer = { status: 200, body: file('1.3') }
    await fetchRates(database.db, url)
    expect(await on('EUR', 'USD', '2026-01-30')).toMatchObject({
      text: '1.3',
      source: 'ecb 2026-01-30 EUR/USD 1.3',
    })
  })

  it.each([
    [500, file('1.25')],
    [404, file('1.25')],
    [302, file('1.25')],
    [200, '<html>'],
    [200, file('1.25').replace('2026-01-30', '2026-13-45')],
    [200, `${file('1.25')}${' '.repeat(4 * 1024 * 1024)}`],
  ])('refuses an answer of %i that is not the file, and keeps nothing', async (status, body) => {
    answer = { status, body }
    await expect(fetchRates(database.db, url)).rejects.toThrow()
    expect((await database.owner.query('SELECT 1 FROM fx_rates')).rowCount).toBe(0)
  })

  it('leaves alone what a person set for that day', async () => {
    await set('EUR', 'USD', '1.11', '2026-01-30')
    answer = { status: 200, body: file('1.25') }
    await fetchRates(database.db, url)
    expect((await on('EUR', 'USD', '2026-01-30'))?.source).toBe('manual 2026-01-30 EUR/USD 1.11')
  })
})
