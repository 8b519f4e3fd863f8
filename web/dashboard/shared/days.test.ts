/** Protects filters by day, statements and cut-offs: what is sent is a date that exists, and the server decides when its day ends. */
import { describe, expect, it } from 'vitest'
import { inTimeZone } from '../../../testing/time-zone.ts'
import { asFieldValue, createdBetween, dayOrNone, localTimeOrNone } from './days.ts'

describe('a range of days', () => {
  it.each(['UTC', 'America/New_York', 'Pacific/Auckland'])('is the same for a reader in %s', zone => {
    const days = { from: '2026-03-08', until: '2026-11-01' }
    expect(inTimeZone(zone, () => createdBetween(days))).toEqual(days)
  })

  it('is open where a day is missing', () => {
    expect(createdBetween({})).toEqual({ from: undefined, until: undefined })
    expect(createdBetween({ until: '2026-12-31' })).toEqual({ from: undefined, until: '2026-12-31' })
  })
})

it.each(['2026-02-28', '2024-02-29', '0202-01-01'])('%s is a day', day => {
  expect(dayOrNone(day)).toBe(day)
})

it.each([
  undefined,
  '',
  'yesterday',
  '2026-13-01',
  '2026-02-29',
  '2026-1-1',
  '2026-01-01T00:00',
  '0001-01-01',
  '9999-12-31',
  '2026-02-31x',
])('%s is no day', day => {
  expect(dayOrNone(day)).toBeUndefined()
})

describe('a field for a date and time', () => {
  it.each(['2026-07-01T09:30', '2026-03-29T02:30'])('holds %s, wherever the reader is', text => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York'])
      expect(inTimeZone(zone, () => localTimeOrNone(text))).toBe(text)
  })

  it.each([undefined, '', 'soon', '2026-07-01T25:00', '2026-02-30T10:00', '2026-07-01'])(
    'holds none with %s',
    text => {
      expect(localTimeOrNone(text)).toBeUndefined()
    },
  )

  it.each(['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland'])(
    'shows a moment in the time of a reader in %s, to the minute',
    zone => {
      const moment = new Date('2026-07-01T13:30:00.000Z')
      expect(inTimeZone(zone, () => new Date(asFieldValue(moment)).toISOString())).toBe(moment.toISOString())
    },
  )
})
