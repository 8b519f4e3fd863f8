import { expect, it } from 'vitest'
import { changesOfPortal, fieldsOfPortal, isColour, linesOf } from './portal-fields.ts'

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

const before = fieldsOfPortal({
  name: null,
  colour: '#00aaff',
  domain: 'partners.acme.example',
  terms_url: null,
  frame_origins: ['https://a.example'],
  customers_shown: 'masked',
  leaderboard: null,
  leaderboard_numbers: false,
})

it.each([
  [{}, {}],
  [{ name: ' Acme ' }, { name: 'Acme' }],
  [{ domain: ' ' }, { domain: null }],
  [{ frame_origins: '\nhttps://a.example\n' }, {}],
  [{ frame_origins: '' }, { frame_origins: [] }],
  [{ leaderboard: 'conversions' as const }, { leaderboard: 'conversions' }],
])('of the changes %j, sends %j', (changed, sent) => {
  expect(changesOfPortal(before, { ...before, ...changed })).toEqual(sent)
})
