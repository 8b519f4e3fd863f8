/** How many decimals the ledger counts in where it differs from what the locale shows: HUF has two, and people write none. */
const LEDGER_DECIMALS: Record<string, number> = {
  BHD: 3,
  IQD: 3,
  JOD: 3,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  TND: 3,
  CLF: 4,
  UYW: 4,
}
const WITHOUT_DECIMALS = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
)

export const decimalsOf = (currency: string) =>
  WITHOUT_DECIMALS.has(currency) ? 0 : (LEDGER_DECIMALS[currency] ?? 2)

/** Money as the reader's locale writes it, exact to the minor unit. */
export function money(amountMinor: number, currency: string): string {
  const digits = decimalsOf(currency)
  return new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amountMinor / 10 ** digits)
}

/** What a person typed as an amount, in minor units; undefined when it is none. */
export function parseMoney(text: string, currency: string): number | undefined {
  const digits = decimalsOf(currency)
  const parts = /^(-?)(\d{1,13})(?:[.,](\d+))?$/.exec(text.trim())
  if (!parts || (parts[3]?.length ?? 0) > digits) return undefined
  const minor = Number(`${parts[2]}${(parts[3] ?? '').padEnd(digits, '0')}`)
  return parts[1] ? -minor : minor
}

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
