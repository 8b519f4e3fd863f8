/** Protects what users read: exact to the minor unit, in their locale and time zone. */
import { describe, expect, it } from 'vitest'
import { inTimeZone } from '../../testing/time-zone.ts'
import { calendarDay, count, dateAndTime, money, percent, shortDate, shortMoney, words } from './format.ts'

/** Locales differ in signs and separators, not in the digits. */
const digitsOf = (text: string) => text.replaceAll(/\D/g, '')

describe('money', () => {
  it.each([
    [1250, 'USD', '1250'],
    [5, 'USD', '005'],
    [0, 'USD', '000'],
    [1250, 'JPY', '1250'],
    [0, 'JPY', '0'],
    [1, 'KWD', '0001'],
    [1_234_567, 'KWD', '1234567'],
    [12_345, 'CLF', '12345'],
    // HUF is usually written without decimals; the ledger counts two.
    [150_000, 'HUF', '150000'],
  ])('shows %i minor units of %s with the digits %s', (minor, currency, digits) => {
    expect(digitsOf(money(minor, currency))).toBe(digits)
  })

  it('distinguishes negative amounts', () => {
    expect(money(-1250, 'USD')).not.toBe(money(1250, 'USD'))
    expect(digitsOf(money(-1250, 'USD'))).toBe('1250')
  })

  it('includes the currency', () => {
    expect(money(100, 'EUR')).not.toBe(money(100, 'GBP'))
  })

  it.each([
    ['USD', 8_973_954_561_547_146],
    ['KWD', 8_827_815_437_965_122],
    ['CLF', 8_633_361_019_902_973],
    ['JPY', Number.MAX_SAFE_INTEGER],
    ['USD', -Number.MAX_SAFE_INTEGER],
  ])('is exact at the end of the range in %s', (currency, minor) => {
    expect(digitsOf(money(minor, currency))).toBe(String(Math.abs(minor)))
  })
})

describe('short money', () => {
  it.each([
    [2500, 'USD', '25'],
    [2550, 'USD', '2550'],
    [2501, 'USD', '2501'],
    [0, 'USD', '0'],
    [25, 'JPY', '25'],
    [25_000, 'KWD', '25'],
    [25_001, 'KWD', '25001'],
  ])('shows %i minor units of %s with the digits %s', (minor, currency, digits) => {
    expect(digitsOf(shortMoney(minor, currency))).toBe(digits)
  })
})

describe('percent', () => {
  it.each([
    [0.2, undefined, '20'],
    [0.125, undefined, '125'],
    [0.0005, undefined, '005'],
    [0.12345, undefined, '1235'],
    [0.12345, 1, '123'],
    [0, undefined, '0'],
    [1.5, undefined, '150'],
  ])('shows %d with %s decimals as %s', (share, mostDigits, digits) => {
    expect(digitsOf(percent(share, mostDigits))).toBe(digits)
  })
})

it('counts with every digit', () => {
  expect(digitsOf(count(1_234_567))).toBe('1234567')
  expect(count(0)).toBe('0')
})

describe('dates', () => {
  const newYear = '2026-01-01T05:30:00Z'
  const inZone = (zone: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone }).format(new Date(newYear))

  it.each(['UTC', 'America/Los_Angeles', 'Pacific/Auckland', 'Asia/Kolkata'])(
    'are those of a reader in %s',
    zone => {
      expect(inTimeZone(zone, () => shortDate(newYear))).toBe(inZone(zone, { dateStyle: 'medium' }))
      expect(inTimeZone(zone, () => dateAndTime(newYear))).toBe(
        inZone(zone, { dateStyle: 'medium', timeStyle: 'short' }),
      )
    },
  )

  it('may be another year elsewhere', () => {
    const [here, there] = ['UTC', 'America/Los_Angeles'].map(zone =>
      inTimeZone(zone, () => shortDate(newYear)),
    )
    expect(here).toContain('2026')
    expect(there).toContain('2025')
  })
})

describe('words', () => {
  it.each([
    ['below_minimum', 'Below minimum'],
    ['promoter.approved', 'Promoter approved'],
    ['paid', 'Paid'],
    ['a_b.c_d', 'A b c d'],
    ['', ''],
    ['Already Done', 'Already Done'],
  ])('formats %s as "%s"', (name, text) => {
    expect(words(name)).toBe(text)
  })
})

describe('a time in a given zone', () => {
  it.each(['UTC', 'America/Los_Angeles', 'Pacific/Auckland'])('is the same for a reader in %s', zone => {
    expect(inTimeZone(zone, () => shortDate('2026-01-01T00:00:00Z', 'Asia/Tokyo'))).toBe(
      shortDate('2026-01-01T00:00:00Z', 'Asia/Tokyo'),
    )
    expect(inTimeZone(zone, () => dateAndTime('2026-01-01T00:00:00Z', 'Asia/Tokyo'))).toMatch(/9:00/)
    expect(inTimeZone(zone, () => calendarDay('2026-03-29'))).toMatch(/29.*2026/)
  })

  it('is in UTC, and marked so, where the browser does not know the zone', () => {
    expect(shortDate('2026-01-01T23:30:00Z', 'Mars/Olympus_Mons')).toMatch(/1.*2026 UTC$/)
    expect(dateAndTime('2026-01-01T23:30:00Z', 'Mars/Olympus_Mons')).toMatch(/UTC$/)
  })
})
