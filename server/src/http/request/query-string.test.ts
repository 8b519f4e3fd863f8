import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { parseQuery } from './query-string.ts'

const schema = Type.Object({ count: Type.Integer(), flag: Type.Boolean(), text: Type.String() })
const parse = (text: string) => ({ ...parseQuery(text, schema) })

it.each<[string, object]>([
  ['', {}],
  ['&&', {}],
  ['count=5', { count: 5 }],
  ['count=-5', { count: -5 }],
  ['count=007', { count: 7 }],
  ['count=', { count: '' }],
  ['count', { count: '' }],
  ['count=1e2', { count: '1e2' }],
  ['count=%205', { count: ' 5' }],
  ['count=0x1', { count: '0x1' }],
  ['count=12345678901234567', { count: '12345678901234567' }],
  ['flag=true', { flag: true }],
  ['flag=false', { flag: false }],
  ['flag=TRUE', { flag: 'TRUE' }],
  ['flag=1', { flag: '1' }],
  ['text=5', { text: '5' }],
  ['text=true', { text: 'true' }],
  ['text=a=b', { text: 'a=b' }],
  ['text=a+b%2B%26', { text: 'a b+&' }],
  ['te%78t=%E2%9C%93', { text: '✓' }],
  ['unknown=5', { unknown: '5' }],
  ['toString=1', { toString: '1' }],
  ['=x', { '': 'x' }],
])('%s', (text, expected) => expect(parse(text)).toEqual(expected))

it('cannot pollute the prototype', () => {
  const query = parseQuery('__proto__=x', schema)
  expect(Object.keys(query)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(query)).toBeNull()
})

describe('rejects', () => {
  it.each(['text=1&text=1', 'text&text', 'text=1&te%78t=2', '__proto__=1&__proto__=1'])(
    '%s as repeated',
    text => expect(() => parse(text)).toThrow('is given more than once'),
  )
  it.each(['text=%', 'text=%zz', 'text=%ff', '%ed%a0%80=1'])('%s as badly encoded', text =>
    expect(() => parse(text)).toThrow('percent-encoded'),
  )
})
