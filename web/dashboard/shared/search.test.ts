/** Protects bookmarked URLs: filters are parsed from them, and malformed values are ignored. */
import { describe, expect, it } from 'vitest'
import { day, id, oneOf, parseSearch, searchOf, stringifySearch, text, yesOrNo } from './search.ts'

const read = searchOf({
  q: text,
  campaign_id: id,
  status: oneOf(['pending', 'approved']),
  is_test: yesOrNo,
  from: day,
})

it('reads every parameter as what it is', () => {
  expect(read(parseSearch('?q=ada+l&campaign_id=7&status=pending&is_test=false&from=2026-01-31'))).toEqual({
    q: 'ada l',
    campaign_id: 7,
    status: 'pending',
    is_test: false,
    from: '2026-01-31',
  })
})

it('reads alike what was read before', () => {
  const once = read(parseSearch('?q=1&campaign_id=7&status=approved&is_test=true&from=2026-01-31'))
  expect(read(once)).toEqual(once)
})

it('names what is missing or malformed, so that it overrules the address', () => {
  const search = read(parseSearch('?q=&campaign_id=1e3&status=constructor&is_test=yes&from=1.1.2026'))
  expect(Object.keys(search)).toEqual(['q', 'campaign_id', 'status', 'is_test', 'from'])
  expect(Object.values(search).filter(value => value !== undefined)).toEqual([])
  expect(read({})).toEqual(search)
})

it('leaves alone what it does not know', () => {
  expect(read(parseSearch('?utm_source=mail&__proto__=1'))).not.toHaveProperty('utm_source')
})

describe('an id', () => {
  it.each([
    ['7', 7],
    ['007', 7],
    ['0', 0],
    ['999999999999999', 999_999_999_999_999],
    [7, 7],
  ])('%j is %i', (value, expected) => {
    expect(id(value)).toBe(expected)
  })

  it.each([
    '',
    '-1',
    '1.5',
    '1e3',
    '0x1',
    ' 7',
    '1234567890123456',
    'seven',
    undefined,
    null,
    Number.NaN,
    [],
    {},
  ])('%j is none', value => {
    expect(id(value)).toBeUndefined()
  })
})

it.each([[5], [true], [['a']], [null], [undefined]])('%j is no text', value => {
  expect(text(value)).toBeUndefined()
})

describe('an address', () => {
  it('holds what is set, ids as their digits', () => {
    expect(stringifySearch({ status: 'pending', campaign_id: 7, is_test: false, q: undefined })).toBe(
      '?status=pending&campaign_id=7&is_test=false',
    )
  })

  it('has no question mark where nothing is set', () => {
    expect(stringifySearch({})).toBe('')
    expect(stringifySearch({ q: undefined })).toBe('')
  })

  it('brings back every text', () => {
    const q = 'a&b=c?d#e+f é 日本 %20'
    expect(parseSearch(stringifySearch({ q }))).toEqual({ q })
  })
})

it('is checked by the compiler', () => {
  const search = read({})
  // @ts-expect-error: this status does not exist.
  expect(search.status === 'paid').toBe(false)
  // @ts-expect-error: this parameter does not exist.
  expect(search.nothing).toBeUndefined()
  const number: number | undefined = search.campaign_id
  expect(number).toBeUndefined()
})
