/** Protects amounts and ids from JSON.parse, which rounds before validation can see the original. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { integersOnly } from './integers-only.ts'

const read = (json: string) => JSON.parse(integersOnly(json))

describe('a number that is not written as an integer becomes infinite', () => {
  it.each([
    '100.00000000000000001',
    '9007199254740991.4',
    '1e2',
    '1E2',
    '1e+2',
    '100e-1',
    '1.0',
    '-1.0',
    '-0.0',
    '0e0',
    '1e400',
    '0.5',
  ])('%s', number => {
    const none = number.startsWith('-') ? -Infinity : Infinity
    for (const [json, value] of [
      [number, none],
      [`{"a":${number}}`, { a: none }],
      [`{ "a" : [ 1 , ${number} , 2 ] }`, { a: [1, none, 2] }],
      [`[${number},${number},7]`, [none, none, 7]],
    ] as const)
      expect(read(json)).toEqual(value)
  })
})

describe('everything else stays as it is', () => {
  it.each([
    '{"amount_minor":100}',
    '[-1,0,9007199254740991,true,false,null]',
    '{"1.5":"2e3","url":"https://a1.example/1.0?b=\\"1.5\\"","back":"1.5\\\\","n":7}',
    '"1.5"',
    '{"e":1,"E":2}',
  ])('%s', json => expect(integersOnly(json)).toBe(json))

  it('strings that contain numbers, whatever surrounds them', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer(), (text, number) => {
        const json = JSON.stringify({ [`${text}1.5`]: `${text}1e5"\\`, number })
        expect(read(json)).toEqual(JSON.parse(json))
      }),
    )
  })
})

it.each(['1.', '.5', '01.5', '1.e5', '1e', '1.5.5', '[1.5', '{"a":1.5', '+1.5', '1.5e', '--1.5', '"1.5'])(
  '%s is invalid JSON and stays invalid',
  json => expect(() => read(json)).toThrow(SyntaxError),
)
