import { decimalsOf, plainAmount } from '@tributary/contract/money'

/** Money as the reader's locale writes it, exact to the minor unit. */
export function money(amountMinor: number, currency: string): string {
  const digits = decimalsOf(currency)
  return new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    // As a text: divided, a large amount would be off by some minor units.
  }).format(plainAmount(amountMinor, currency) as `${number}`)
}

/** A share in the reader's own writing: 0.125 is 12.5 %. */
export const percent = (share: number, mostDigits = 2) =>
  new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: mostDigits }).format(share)

export const count = (value: number) => new Intl.NumberFormat().format(value)

/** A moment that is meant exactly, such as a cut-off. */
export const dateAndTime = (time: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time))

export const shortDate = (time: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(new Date(time))

/** `below_minimum` as a person would say it. */
export const words = (name: string) => {
  const text = name.replaceAll(/[_.]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
