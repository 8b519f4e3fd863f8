import { describe, expect, it } from 'vitest'
import { parseCommissionRule } from './parse-commission-rule.ts'

it.each([
  ['20%', 2000],
  ['12.5%', 1250],
  ['0.01%', 1],
  ['0.10%', 10],
  ['100%', 10_000],
  ['007%', 700],
])('%s is %i basis points', (text, rateBasisPoints) => {
  expect(parseCommissionRule(text)).toEqual({ kind: 'percent', rateBasisPoints })
})

it.each([
  ['500 USD', 500, 'USD'],
  ['1 JPY', 1, 'JPY'],
  ['1000000000000 EUR', 1_000_000_000_000, 'EUR'],
])('%s is flat', (text, amountMinor, currency) => {
  expect(parseCommissionRule(text)).toEqual({ kind: 'flat', amountMinor, currency })
})

describe('refuses', () => {
  it.each([
    '',
    '%',
    '0%',
    '0.00%',
    '100.01%',
    '101%',
    '1000%',
    '12.345%',
    '.5%',
    '-5%',
    '20',
    '20 %',
    ' 20%',
    '20%\n',
    '0 USD',
    '-5 USD',
    '5.00 USD',
    '500USD',
    '500  USD',
    '500 usd',
    '500 XYZ',
    'USD 500',
    '1000000000001 USD',
    '9007199254740992 USD',
    '99999999999999999 USD',
    '1e3 USD',
  ])('%j', text => expect(() => parseCommissionRule(text)).toThrow(/^commission /))
})
