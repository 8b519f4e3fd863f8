/** Protects reading of fields: any body is read without an error, and only what it contains itself. */
import { describe, expect, it } from 'vitest'
import { pathSteps, textAt, timeFrom, valueAt } from './field-path.ts'

const body = { a: { b: [{ c: 'deep' }, 2] }, n: 0, empty: '', none: null, 'two words': 'yes' }

describe('paths', () => {
  it.each([
    ['a.b[0].c', 'deep'],
    ['a.b[1]', '2'],
    ['n', '0'],
    ['two words', 'yes'],
    ['empty', undefined],
    ['none', undefined],
    ['none.more', undefined],
    ['a.b[2].c', undefined],
    ['a.b.length', undefined],
    ['a', undefined],
    ['constructor.name', undefined],
    ['__proto__', undefined],
  ])('%s is %s', (path, expected) => {
    expect(textAt(body, path)).toBe(expected)
  })

  it.each(['', '.', 'a..b', 'a[', 'a[x]', '[0]', 'a.[0]', 'a[0]b'])('%j is not a path', path => {
    expect(pathSteps(path)).toBeUndefined()
  })

  it.each([undefined, null, 3, 'text', []])('finds nothing in %j', value => {
    expect(valueAt(value, 'a.b')).toBeUndefined()
  })
})

describe('times', () => {
  it.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123Z'],
    ['2026-01-01T00:00:00-05:00', '2026-01-01T05:00:00.000Z'],
    ['2026-01-01T00:00:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01 00:00:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01', '2026-01-01T00:00:00.000Z'],
    ['2026-13-01T00:00:00Z', undefined],
    ['0000-01-01', undefined],
    ['1969-12-31T23:59:59Z', undefined],
    ['9999-12-31T23:59:59-12:00', undefined],
    ['+010000-01-01T00:00:00Z', undefined],
    ['yesterday', undefined],
    [undefined, undefined],
  ])('%s is %s', (text, time) => {
    expect(timeFrom(text)).toBe(time)
  })
})
