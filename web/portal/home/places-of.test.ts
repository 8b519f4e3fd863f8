import { expect, it } from 'vitest'
import { placesOf } from './places-of.ts'

const row = (place: number, name: string | null = null, is_me = false) => ({
  place,
  name,
  is_me,
  value: is_me ? 2 : null,
})

it('hidden affiliates who share a place are one row, after those who are shown', () => {
  const rows = [row(1), row(2), row(2), row(2, null, true), row(2), row(2, 'Ace'), row(7), row(7)]
  expect(
    placesOf(rows).map(({ place, name, is_me, affiliates }) => [place, name, is_me, affiliates]),
  ).toEqual([
    [1, null, false, 1],
    [2, null, true, 1],
    [2, 'Ace', false, 1],
    [2, null, false, 3],
    [7, null, false, 2],
  ])
})

it('of no rows there are none', () => expect(placesOf([])).toEqual([]))
