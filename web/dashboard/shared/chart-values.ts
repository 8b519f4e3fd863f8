import { decimalsOf } from '@tributary/contract/money'
import { money } from '../../ui/format.ts'

/** Money as a chart plots it, in major units: imprecise, so every label goes through `exact`. */
export const units = (minor: number, currency: string) => minor / 10 ** decimalsOf(currency)
export const exact = (value: number, currency: string) =>
  money(Math.round(value * 10 ** decimalsOf(currency)), currency)
