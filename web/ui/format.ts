import { decimalsOf, plainAmount } from '@tributary/contract/money'

function currencyText(amountMinor: number, currency: string, options: Intl.NumberFormatOptions): string {
  const digits = decimalsOf(currency)
  return new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    ...options,
    // As a string: dividing a large amount would lose minor units.
  }).format(plainAmount(amountMinor, currency) as `${number}`)
}

/** Money in the reader's locale, exact to the minor unit. */
export const money = (amountMinor: number, currency: string) => currencyText(amountMinor, currency, {})

/** The same without the decimals of a whole amount, for sentences: "$25", "$25.50". */
export const shortMoney = (amountMinor: number, currency: string) =>
  currencyText(amountMinor, currency, { trailingZeroDisplay: 'stripIfInteger' })

/** A share in the reader's locale: 0.125 is 12.5%. */
export const percent = (share: number, mostDigits = 2) =>
  new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: mostDigits }).format(share)

/** An axis label of a chart: "1.2K", "$40". */
export const compact = (value: number, currency?: string) =>
  new Intl.NumberFormat(undefined, {
    notation: 'compact',
    maximumFractionDigits: 1,
    ...(currency && { style: 'currency', currency }),
  }).format(value)

export const count = (value: number) => new Intl.NumberFormat().format(value)

/** Whether this browser has the zone: an older one lacks zones that were renamed since. */
export function isSupportedZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** In the zone, or the reader's by default. In UTC, with a label, if the browser doesn't have the zone. */
function inZone(time: string, zone: string | undefined, options: Intl.DateTimeFormatOptions): string {
  const isShown = zone === undefined || isSupportedZone(zone)
  const timeZone = isShown ? zone : 'UTC'
  const text = new Intl.DateTimeFormat(undefined, { ...options, timeZone }).format(new Date(time))
  return isShown ? text : `${text} UTC`
}

/** A timestamp to the minute, such as a cut-off. */
export const dateAndTime = (time: string, zone?: string) =>
  inZone(time, zone, { dateStyle: 'medium', timeStyle: 'short' })

export const shortDate = (time: string, zone?: string) => inZone(time, zone, { dateStyle: 'medium' })

/** A calendar day such as 2026-01-31, which is the same wherever it is read. */
export const calendarDay = (day: string, options: Intl.DateTimeFormatOptions = { dateStyle: 'medium' }) =>
  inZone(`${day}T12:00:00Z`, 'UTC', options)

/** `below_minimum` → "Below minimum". */
export const words = (name: string) => {
  const text = name.replaceAll(/[_.]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
