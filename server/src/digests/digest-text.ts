import { formatMinor } from '../kit/money.ts'

export const counted = (count: number): string => count.toLocaleString('en')

export const money = (amountMinor: number, currency: string): string => {
  const [whole = '', fraction] = formatMinor(amountMinor, currency).split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return `${grouped}${fraction === undefined ? '' : `.${fraction}`} ${currency}`
}

/** How a figure changed, in per cent. Undefined where that says nothing: there was none before. */
export function changeOf(now: number, before: number): string | undefined {
  if (before <= 0 || now < 0) return undefined
  const percent = Math.round(((now - before) / before) * 100)
  return percent === 0 ? 'no change' : `${percent > 0 ? '+' : '−'}${counted(Math.abs(percent))}%`
}

const english = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' })

/** Two days as "Nov 9 – 15, 2026", with plain spaces. */
export const rangeText = (from: string, to: string): string =>
  english({ dateStyle: 'medium' }).formatRange(new Date(from), new Date(to)).replaceAll(/\s/g, ' ')

/** The month of a day, as "October 2026". */
export const monthText = (day: string): string =>
  english({ month: 'long', year: 'numeric' }).format(new Date(day))
