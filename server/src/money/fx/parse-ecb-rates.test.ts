/** Protects the rates: the ECB's file is read as it is published, and whatever is not that file is refused, never guessed. */
import { describe, expect, it } from 'vitest'
import { parseEcbRates } from './fetch-rates.ts'

const cube = (currency: string, rate: string) => `\t\t\t<Cube currency='${currency}' rate='${rate}'/>`
const file = (...days: [string, ...string[]][]) => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
${days.map(([day, ...cubes]) => `\t\t<Cube time='${day}'>\n${cubes.join('\n')}\n\t\t</Cube>`).join('\n')}
\t</Cube>
</gesmes:Envelope>`

const row = (quote: string, day: string, rate: string) => ({ base: 'EUR', quote, day, rate, source: 'ecb' })

it('reads the daily file', () => {
  const xml = file([
    '2026-01-30',
    cube('USD', '1.0853'),
    cube('JPY', '162.41'),
    cube('HUF', '403.13'),
    cube('KRW', '1512.2'),
  ])
  expect(parseEcbRates(xml)).toEqual([
    row('USD', '2026-01-30', '1.0853'),
    row('JPY', '2026-01-30', '162.41'),
    row('HUF', '2026-01-30', '403.13'),
    row('KRW', '2026-01-30', '1512.2'),
  ])
})

it('reads the file of many days', () => {
  const xml = file(
    ['2026-01-30', cube('USD', '1.0853')],
    ['2026-01-29', cube('USD', '1.0840'), cube('GBP', '0.8')],
  )
  expect(parseEcbRates(xml)).toEqual([
    row('USD', '2026-01-30', '1.0853'),
    row('USD', '2026-01-29', '1.0840'),
    row('GBP', '2026-01-29', '0.8'),
  ])
})

it('reads double quotes, and other line ends', () => {
  const xml = file(['2026-01-30', cube('USD', '1.0853')])
    .replaceAll("'", '"')
    .replaceAll('\n', '\r\n')
  expect(parseEcbRates(xml)).toEqual([row('USD', '2026-01-30', '1.0853')])
})

describe('refuses', () => {
  it.each([
    ['nothing', ''],
    ['a page', '<!doctype html><title>Sign in</title>'],
    ['JSON', '{"rates": {"USD": 1.08}}'],
    ['a file without a day', file(['2026-01-30', cube('USD', '1.08')]).replace(" time='2026-01-30'", '')],
    ['a file without rates', file(['2026-01-30'])],
    ['a rate of zero', file(['2026-01-30', cube('USD', '0')])],
    ['a rate of 0.0000', file(['2026-01-30', cube('USD', '0.0000')])],
    ['a negative rate', file(['2026-01-30', cube('USD', '-1.08')])],
    ['a rate with an exponent', file(['2026-01-30', cube('USD', '1e3')])],
    ['a rate with a comma', file(['2026-01-30', cube('USD', '1,08')])],
    ['two points', file(['2026-01-30', cube('USD', '1.0.8')])],
    ['no number', file(['2026-01-30', cube('USD', 'N/A')])],
    ['no currency', file(['2026-01-30', cube('QQQ', '1.08')])],
    ['small letters', file(['2026-01-30', cube('usd', '1.08')])],
    ['a day that is none', file(['30.01.2026', cube('USD', '1.08')])],
  ])('%s', (_what, xml) => {
    expect(() => parseEcbRates(xml)).toThrow('has no rates in the ECB format')
  })
})
