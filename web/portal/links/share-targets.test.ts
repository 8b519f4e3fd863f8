import { expect, it } from 'vitest'
import { shareTargets } from './share-targets.ts'

it('passes the link and the text unchanged, whatever they contain', () => {
  const url = 'https://shop.example/r/jane/a?to=https%3A%2F%2Fshop.example%2Fx%3Fy%3D1%26z'
  const text = 'Tea & "Söhne" #1'
  for (const { href } of shareTargets(url, text)) {
    const parameters = [...new URL(href).searchParams.values()].join(' ')
    expect(parameters).toContain(url)
    expect(new URL(href).hash).toBe('')
  }
  expect(shareTargets(url, text).map(({ label }) => label)).toEqual([
    'Email',
    'WhatsApp',
    'X',
    'Facebook',
    'LinkedIn',
  ])
})
