import { expect, it } from 'vitest'
import { places } from './places.ts'

it('lists every page of the navigation once', () => {
  for (const key of ['path', 'label'] as const) {
    const values = places.map(place => place[key])
    expect(new Set(values).size).toBe(values.length)
  }
  expect(places[0].path).toBe('overview')
})
