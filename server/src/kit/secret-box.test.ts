import { describe, expect, it } from 'vitest'
import { SecretBox } from './secret-box.ts'

const box = new SecretBox('a master key of some length, for tests only')
const seal = (text: string) => box.seal('webhook secret', 7, text)

it.each(['', 'whsec_x', 'ünï ✓ 🔑', 'x'.repeat(100_000)])('opens what it sealed', text => {
  expect(box.open('webhook secret', 7, seal(text))).toBe(text)
  expect(
    new SecretBox('a master key of some length, for tests only').open('webhook secret', 7, seal(text)),
  ).toBe(text)
})

it('seals the same text differently each time, and shows nothing of it', () => {
  const [first, second] = [seal('a known secret'), seal('a known secret')]
  expect(first.equals(second)).toBe(false)
  expect(first.includes('known')).toBe(false)
})

describe('stays closed', () => {
  it('for another account', () => expect(() => box.open('webhook secret', 8, seal('x'))).toThrow())
  it('for another purpose', () => expect(() => box.open('idempotent answer', 7, seal('x'))).toThrow())
  it('for another master key', () =>
    expect(() => new SecretBox('another').open('webhook secret', 7, seal('x'))).toThrow())

  it('once any byte was changed, cut off or added', () => {
    const sealed = seal('a secret')
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] as number) ^ 1
      expect(() => box.open('webhook secret', 7, changed)).toThrow()
      expect(() => box.open('webhook secret', 7, sealed.subarray(0, at))).toThrow()
    }
    expect(() => box.open('webhook secret', 7, Buffer.concat([sealed, Buffer.of(0)]))).toThrow()
  })
})

it('distinguishes two keys without revealing them', () => {
  expect(box.check().equals(new SecretBox('a master key of some length, for tests only').check())).toBe(true)
  expect(box.check().equals(new SecretBox('another').check())).toBe(false)
  expect(box.check().includes('master')).toBe(false)
})
