import { describe, expect, it } from 'vitest'
import { duePeriod, lastPeriod, localTime, periodBefore } from './period.ts'

describe('the last period', () => {
  it.each([
    ['team', '2026-06-08T08:00', { dueDay: '2026-06-08', from: '2026-06-01', to: '2026-06-07', daysLate: 0 }],
    ['team', '2026-06-08T07:59', { dueDay: '2026-06-01', from: '2026-05-25', to: '2026-05-31', daysLate: 6 }],
    ['team', '2026-01-04T12:00', { dueDay: '2025-12-29', from: '2025-12-22', to: '2025-12-28', daysLate: 6 }],
    [
      'affiliate',
      '2026-03-01T08:00',
      { dueDay: '2026-03-01', from: '2026-02-01', to: '2026-02-28', daysLate: 0 },
    ],
    [
      'affiliate',
      '2026-01-01T07:59',
      { dueDay: '2025-12-01', from: '2025-11-01', to: '2025-11-30', daysLate: 30 },
    ],
  ] as const)('of the %s at %s', (kind, local, period) => {
    expect(lastPeriod(kind, local)).toEqual(period)
  })

  it('is compared with as many days, or the month, before it', () => {
    expect(periodBefore('team', lastPeriod('team', '2026-06-08T08:00'))).toEqual({
      from: '2026-05-25',
      to: '2026-05-31',
    })
    expect(periodBefore('affiliate', lastPeriod('affiliate', '2026-04-01T08:00'))).toEqual({
      from: '2026-02-01',
      to: '2026-02-28',
    })
  })
})

it('the local time is that of the zone, with midnight as hour 0', () => {
  expect(localTime(new Date('2026-06-08T06:30:00Z'), 'Europe/Berlin')).toBe('2026-06-08T08:30')
  expect(localTime(new Date('2026-06-07T12:00:00Z'), 'Pacific/Auckland')).toBe('2026-06-08T00:00')
  expect(localTime(new Date('2026-01-05T13:00:00Z'), 'America/New_York')).toBe('2026-01-05T08:00')
})

describe('a digest is due', () => {
  const on = {
    kind: 'team',
    time_zone: 'Europe/Berlin',
    since: '2026-01-01T00:00:00.000Z',
    due_day: null as string | null,
    is_done: true,
  } as const
  const dueDay = (changes: object, now: string) => duePeriod({ ...on, ...changes }, new Date(now))?.dueDay

  it('from Monday at 8:00 in the time zone of the account', () => {
    expect(dueDay({}, '2026-06-08T05:59:00Z')).toBeUndefined()
    expect(dueDay({}, '2026-06-08T06:00:00Z')).toBe('2026-06-08')
  })

  it('late, but not after three days', () => {
    expect(dueDay({}, '2026-06-11T05:59:00Z')).toBe('2026-06-08')
    expect(dueDay({}, '2026-06-11T06:00:00Z')).toBeUndefined()
  })

  it('once it is on: not for a period that was due before', () => {
    expect(dueDay({ since: '2026-06-08T05:59:00Z' }, '2026-06-08T07:00:00Z')).toBe('2026-06-08')
    expect(dueDay({ since: '2026-06-08T06:00:00Z' }, '2026-06-08T07:00:00Z')).toBeUndefined()
  })

  it('until it is done', () => {
    expect(dueDay({ due_day: '2026-06-01' }, '2026-06-08T07:00:00Z')).toBe('2026-06-08')
    expect(dueDay({ due_day: '2026-06-08', is_done: false }, '2026-06-08T07:00:00Z')).toBe('2026-06-08')
    expect(dueDay({ due_day: '2026-06-08' }, '2026-06-08T07:00:00Z')).toBeUndefined()
  })

  it('not again in another time zone, whichever way it moves', () => {
    const sent = { due_day: '2026-06-08' }
    for (const time_zone of ['Pacific/Auckland', 'America/Los_Angeles', 'Pacific/Kiritimati', 'Etc/GMT+12'])
      for (let hour = -48; hour <= 96; hour++) {
        const now = new Date(Date.parse('2026-06-08T06:00:00Z') + hour * 3_600_000).toISOString()
        expect([time_zone, now, dueDay({ ...sent, time_zone }, now)]).toEqual([time_zone, now, undefined])
      }
  })
})
