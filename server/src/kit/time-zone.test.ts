import { describe, expect, it } from 'vitest'
import { canonicalZone } from './time-zone.ts'

describe('a time zone', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata', 'Asia/Calcutta'])(
    'is known as %s',
    name => {
      expect(canonicalZone(name)).toBeDefined()
    },
  )

  it('is the same under its old and its new name', () => {
    expect(canonicalZone('Asia/Kolkata')).toBe(canonicalZone('Asia/Calcutta'))
    expect(canonicalZone('Asia/Kathmandu')).toBe(canonicalZone('Asia/Katmandu'))
  })

  it.each([
    '',
    '+02:00',
    'UTC+2',
    'CEST',
    'EST5EDT',
    'Etc/GMT+5',
    'europe/berlin',
    'Europe/Nowhere',
    'Europe/Berlin ',
    "Europe/Berlin'; --",
    '../../etc/passwd',
    'posix/Europe/Berlin',
  ])('is not %j', name => {
    expect(canonicalZone(name)).toBeUndefined()
  })
})
