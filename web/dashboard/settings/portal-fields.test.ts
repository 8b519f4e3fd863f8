import { expect, it } from 'vitest'
import { isColour, linesOf } from './portal-fields.ts'

it.each([
  ['#00aaff', true],
  ['#00AAFF', true],
  ['#0af', false],
  ['00aaff', false],
  ['#00aafg', false],
  ['#00aaff ', false],
  ['red', false],
  ['', false],
])('"%s" is a colour: %s', (text, isOne) => {
  expect(isColour(text)).toBe(isOne)
})

it('reads the non-empty lines', () => {
  expect(linesOf(' https://a.example \r\n\n\t\nhttps://b.example')).toEqual([
    'https://a.example',
    'https://b.example',
  ])
  expect(linesOf('')).toEqual([])
})
