/** Protects the ledger's calendar: a reported time is taken to the millisecond, from the first year to the last. */
import { expect, it } from 'vitest'
import { reportedTime } from './occurred-at.ts'

it.each([
  ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'],
  ['9900-12-31T23:59:59.999Z', '9900-12-31T23:59:59.999Z'],
  ['2026-03-31T01:30:00+02:00', '2026-03-30T23:30:00.000Z'],
])('%s is taken', (reported, time) => {
  expect(reportedTime(reported)).toBe(time)
})

it.each(['1969-12-31T23:59:59.999Z', '9901-01-01T00:00:00.000Z', '1970-01-01T00:30:00+01:00'])(
  '%s is refused',
  reported => {
    expect(() => reportedTime(reported)).toThrow('occurred_at must be between the years 1970 and 9900')
  },
)

it('none is none', () => {
  expect(reportedTime(undefined)).toBeUndefined()
})
