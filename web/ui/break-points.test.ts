import { expect, it } from 'vitest'
import { breakPoints, hasLongWord } from './break-points.ts'

it.each([
  ['jonas.weber@example.com', ['jonas.weber', '@example.com']],
  ['https://crm.example.com/hooks/tributary', ['https://crm.example.com/', 'hooks/', 'tributary']],
  ['https://example.com/?via=jane', ['https://example.com/', '?', 'via=', 'jane']],
  ['Amara Meyer', ['Amara Meyer']],
  ['', ['']],
])('breaks %o at its separators', (text, parts) => {
  expect(breakPoints(text)).toEqual(parts)
  expect(parts.join('')).toBe(text)
})

it('finds a word that no column has room for', () => {
  expect(hasLongWord(breakPoints(`${'x'.repeat(64)}@example.com`))).toBe(true)
  expect(hasLongWord(breakPoints('jonas.weber@example.com'))).toBe(false)
})
