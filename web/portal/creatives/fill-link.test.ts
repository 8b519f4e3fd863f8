import { expect, it } from 'vitest'
import { embedCode, fillLink } from './fill-link.ts'

const link = 'https://shop.example/r/jane/a?to=%2Fx&y=$&$1'

it('fills in the link everywhere, as it is', () => {
  expect(fillLink('Buy: {link}\nAgain: {link}', link)).toBe(`Buy: ${link}\nAgain: ${link}`)
  expect(fillLink('No link', link)).toBe('No link')
})

it('makes HTML that shows the banner, whatever its name is', () => {
  const file = { version: '0123456789abcdef', width: 300, height: 250 }
  expect(embedCode({ id: 7, name: '"><script>&', file }, 'https://p.example', link)).toBe(
    '<a href="https://shop.example/r/jane/a?to=%2Fx&amp;y=$&amp;$1">' +
      '<img src="https://p.example/creative/7/0123456789abcdef" alt="&quot;&gt;&lt;script&gt;&amp;" width="300" height="250"></a>',
  )
})
