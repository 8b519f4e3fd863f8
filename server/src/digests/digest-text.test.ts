import { expect, it } from 'vitest'
import { changeOf, money, monthText, rangeText } from './digest-text.ts'

it('a change is in whole per cent, and left out where there was nothing before', () => {
  expect([changeOf(150, 100), changeOf(1, 3), changeOf(5, 5), changeOf(0, 7)]).toEqual([
    '+50%',
    '−67%',
    'no change',
    '−100%',
  ])
  expect([changeOf(9, 0), changeOf(0, 0), changeOf(-1, 5)]).toEqual([undefined, undefined, undefined])
})

it('amounts have the decimals of their currency, and groups', () => {
  expect([money(123_456_789, 'USD'), money(1_234_567, 'JPY'), money(-99_905, 'KWD')]).toEqual([
    '1,234,567.89 USD',
    '1,234,567 JPY',
    '-99.905 KWD',
  ])
})

it('days and months are those of the calendar, whatever the time zone of the process', () => {
  expect(rangeText('2026-06-01', '2026-06-07')).toBe('Jun 1 – 7, 2026')
  expect(rangeText('2025-12-29', '2026-01-04')).toBe('Dec 29, 2025 – Jan 4, 2026')
  expect(monthText('2026-02-01')).toBe('February 2026')
})
