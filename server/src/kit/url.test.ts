import { expect, it } from 'vitest'
import { sourceFiles } from '../../test/source-files.ts'
import { parseUrl } from './url.ts'

it.each([
  ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['/only/a/path', undefined],
  ['https://', undefined],
  ['', undefined],
])('%s is %s', (text, href) => {
  expect(parseUrl(text)?.href).toBe(href)
})

it('resolves against a base', () => {
  expect(parseUrl('../b', new URL('https://example.com/a/c'))?.href).toBe('https://example.com/b')
})

it('gives the same result however often it is called', () => {
  for (let i = 0; i < 200_000; i++)
    if (!parseUrl('https://bücher.example/')) throw new Error(`refused at call ${i}`)
})

it('is used everywhere: no source calls URL.canParse, which changes its mind', () => {
  const callers = [...sourceFiles('server/src')].filter(([, source]) => /URL\.canParse\(/.test(source))
  expect(callers.map(([file]) => file)).toEqual([])
})
