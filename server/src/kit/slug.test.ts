import { describe, expect, it } from 'vitest'
import { isSlug, slugFrom } from './slug.ts'

it.each([
  ['Acme', 'acme'],
  ['Größe & Co.', 'grosse-co'],
  ['  --Crème  Brûlée-- ', 'creme-brulee'],
  ['ﬁne №5', 'fine-no5'],
  ['日本', 'fallback'],
  ['', 'fallback'],
  ['!!!', 'fallback'],
  ['a'.repeat(100), 'a'.repeat(60)],
  [`${'a'.repeat(59)} bc`, 'a'.repeat(59)],
])('%j becomes %j', (name, expected) => {
  expect(slugFrom(name, 'fallback')).toBe(expected)
  expect(isSlug(slugFrom(name, 'fallback'))).toBe(true)
})

describe('a slug', () => {
  it.each(['a', '0', 'a-b-c', 'x'.repeat(64)])('may be %s', text => expect(isSlug(text)).toBe(true))
  it.each(['', '-', 'a-', '-a', 'a--b', 'A', 'ä', 'a b', 'a_b', 'a\n', 'x'.repeat(65)])('is not %j', text =>
    expect(isSlug(text)).toBe(false),
  )
})
