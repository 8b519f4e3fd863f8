/** Protects date filters and statements: a day starts and ends in the reader's time zone, across clock changes too. */
import { describe, expect, it } from 'vitest'
import { inTimeZone } from '../../../testing/time-zone.ts'
import { asFieldValue, createdBetween, endOfDay, momentOf } from './days.ts'

describe('a range of days', () => {
  const between = (zone: string, days: { from?: string; until?: string }) =>
    inTimeZone(zone, () => createdBetween(days))

  it('holds both days whole, between two exclusive ends', () => {
    expect(between('UTC', { from: '2026-02-28', until: '2026-02-28' })).toEqual({
      created_after: '2026-02-27T23:59:59.999Z',
      created_before: '2026-03-01T00:00:00.000Z',
    })
  })

  it.each([
    ['America/New_York', '2026-07-01T03:59:59.999Z', '2026-07-02T04:00:00.000Z'],
    ['Asia/Kolkata', '2026-06-30T18:29:59.999Z', '2026-07-01T18:30:00.000Z'],
    ['Pacific/Auckland', '2026-06-30T11:59:59.999Z', '2026-07-01T12:00:00.000Z'],
  ])('is that of a reader in %s', (zone, created_after, created_before) => {
    expect(between(zone, { from: '2026-07-01', until: '2026-07-01' })).toEqual({
      created_after,
      created_before,
    })
  })

  it('follows the clocks: a day of 23 hours in spring, of 25 in autumn', () => {
    expect(between('America/New_York', { from: '2026-03-08', until: '2026-03-08' })).toEqual({
      created_after: '2026-03-08T04:59:59.999Z',
      created_before: '2026-03-09T04:00:00.000Z',
    })
    expect(between('America/New_York', { from: '2026-11-01', until: '2026-11-01' })).toEqual({
      created_after: '2026-11-01T03:59:59.999Z',
      created_before: '2026-11-02T05:00:00.000Z',
    })
  })

  it('is open where a day is missing', () => {
    expect(between('UTC', {})).toEqual({ created_after: undefined, created_before: undefined })
    expect(between('UTC', { from: '2026-01-01' }).created_before).toBeUndefined()
    expect(between('UTC', { until: '2026-12-31' })).toEqual({
      created_after: undefined,
      created_before: '2027-01-01T00:00:00.000Z',
    })
  })

  it.each(['2026-13-01', '2026-1-1', 'yesterday', '2026-01-01T00:00', ''])('ignores "%s"', day => {
    expect(between('UTC', { from: day, until: day })).toEqual({
      created_after: undefined,
      created_before: undefined,
    })
  })
})

describe('the end of a day', () => {
  it.each([
    ['UTC', '2026-07-01T23:59:59.999Z'],
    ['America/New_York', '2026-07-02T03:59:59.999Z'],
    ['Asia/Kolkata', '2026-07-01T18:29:59.999Z'],
  ])('in %s is %s', (zone, end) => {
    expect(inTimeZone(zone, () => endOfDay('2026-07-01'))).toBe(end)
  })

  it.each(['', 'soon', '2026-02-31x'])('is none of "%s"', day => {
    expect(endOfDay(day)).toBeUndefined()
  })
})

describe('a field for a date and time', () => {
  it('means a moment of the reader', () => {
    expect(inTimeZone('America/New_York', () => momentOf('2026-07-01T09:30'))).toBe(
      '2026-07-01T13:30:00.000Z',
    )
    expect(inTimeZone('UTC', () => momentOf('2026-07-01T09:30'))).toBe('2026-07-01T09:30:00.000Z')
  })

  it.each([undefined, '', 'soon', '2026-07-01T25:00'])('means none with %s', text => {
    expect(momentOf(text)).toBeUndefined()
  })

  it.each(['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland'])(
    'holds what it then means, to the minute, in %s',
    zone => {
      const moment = new Date('2026-07-01T13:30:00.000Z')
      expect(inTimeZone(zone, () => momentOf(asFieldValue(moment)))).toBe(moment.toISOString())
    },
  )
})
