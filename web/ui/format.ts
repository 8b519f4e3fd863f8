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

export const count = (value: number) => new Intl.NumberFormat().format(value)

/** A timestamp to the minute, such as a cut-off. */
export const dateAndTime = (time: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time))

export const shortDate = (time: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(new Date(time))

/** `below_minimum` → "Below minimum". */
export const words = (name: string) => {
  const text = name.replaceAll(/[_.]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
