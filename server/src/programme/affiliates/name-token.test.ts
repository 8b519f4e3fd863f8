import { expect, it } from 'vitest'
import { tokensFromName } from './name-token.ts'

it('makes readable tokens from a name, the plain one first', () => {
  const tokens = tokensFromName('Zoë van der Größe')
  expect(tokens.slice(0, 3)).toEqual(['zoe-van-der-grosse', 'zoe-van-der-grosse-2', 'zoe-van-der-grosse-3'])
  expect(tokens.at(-1)).toMatch(/^zoe-van-der-grosse-[0-9A-Za-z]{8}$/)
})

it('stays within the length of a token', () => {
  for (const token of tokensFromName('x'.repeat(255))) expect(token).toMatch(/^[A-Za-z0-9_-]{3,64}$/)
})

it('makes none from a name without enough Latin letters', () => {
  expect(['', 'Jo', '李小龍', '--'].flatMap(tokensFromName)).toEqual([])
})
