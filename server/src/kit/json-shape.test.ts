import { describe, expect, it } from 'vitest'
import { assertPlainShape } from './json-shape.ts'

const check = (text: string) => assertPlainShape(Buffer.from(text))
const tooDeep = /^(The body|a) is nested deeper than 32 levels\.$/

describe('depth', () => {
  it('of 32 levels is fine, and one more is refused', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      expect(() => check(`${open.repeat(32)}${close.repeat(32)}`)).not.toThrow()
      expect(() => check(open.repeat(33))).toThrow(tooDeep)
    }
  })

  it('ignores brackets within a string, however its quotes are escaped', () => {
    for (const text of [
      '['.repeat(100),
      `"${'['.repeat(100)}`,
      `\\${'{'.repeat(100)}`,
      `\\"${'['.repeat(100)}\\`,
      'é["[😀',
    ])
      expect(() => check(JSON.stringify({ text, next: text }))).not.toThrow()
    // The string ends before the brackets: its last character is a backslash.
    expect(() => check(`["\\\\",${'['.repeat(40)}`)).toThrow(tooDeep)
    expect(() => check(`["\\\\\\"${'['.repeat(40)}"]`)).not.toThrow()
  })

  it('counts open brackets only', () => {
    expect(() => check(`[${'[],'.repeat(5000)}[]]`)).not.toThrow()
  })

  it('of an unterminated body takes one pass', () => {
    const text = `"${'\\'.repeat(4 * 1024 * 1024)}`
    // Quadratic time would take hours.
    const begun = performance.now()
    check(text)
    expect(performance.now() - begun).toBeLessThan(20_000)
  })
})

it('more than 10,000 values are refused', () => {
  expect(() => check(`[${'1,'.repeat(9_999)}1]`)).not.toThrow()
  expect(() => check(`[${'{},'.repeat(10_000)}{}]`)).toThrow('more than 10000 values')
  expect(() => check(JSON.stringify(','.repeat(50_000)))).not.toThrow()
})
