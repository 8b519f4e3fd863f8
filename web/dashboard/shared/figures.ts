import type { ExploredSums, Sum } from '@tributary/contract/dashboard'
import { count, money, percent } from '../../ui/format.ts'
import { texts as sharedTexts } from './en.ts'

const { metrics: texts } = sharedTexts

type Money = ExploredSums['money'][number]
export type AmountName = 'revenue' | 'commissions'

const share = (part: number, whole: number) => (whole === 0 ? texts.none : percent(part / whole, 1))

/** In the reporting currency, or else by currency: amounts of different currencies have no sum. */
const moneyOf = ({ converted, money: each }: ExploredSums): Money[] => (converted ? [converted] : each)

const amounts = (sums: ExploredSums, amount: (each: Money) => number | undefined) => {
  const shown = moneyOf(sums).flatMap(each => {
    const minor = amount(each)
    return minor === undefined ? [] : [money(Math.round(minor), each.currency)]
  })
  return shown.length === 0 ? texts.none : shown.join(', ')
}

/** Whether a ratio to the amounts means something: not if some are missing for lack of a rate. */
const isWhole = ({ converted }: ExploredSums) => !converted || converted.without_rate.length === 0

/** In the first currency that has revenue. */
const shareOfRevenue = (sums: ExploredSums, part: (each: Money) => number): string => {
  const [first] = moneyOf(sums).filter(({ revenue_minor }) => revenue_minor > 0)
  return first && isWhole(sums) ? share(part(first), first.revenue_minor) : texts.none
}

export const conversionRate = (sums: ExploredSums) => share(sums.conversions, sums.clicks)
export const revenue = (sums: ExploredSums) => amounts(sums, each => each.revenue_minor || undefined)
export const commissions = (sums: ExploredSums) => amounts(sums, each => each.commissions_minor || undefined)
export const refundRate = (sums: ExploredSums) => shareOfRevenue(sums, each => each.refunded_minor)
/** Commissions in one currency may be those of sales in another. */
export const commissionShare = (sums: ExploredSums) =>
  moneyOf(sums).length === 1 ? shareOfRevenue(sums, each => each.commissions_minor) : texts.none

/** With sales in several currencies there is no average: their number is known only for all of them. */
export const averageOrder = (sums: ExploredSums) =>
  sums.sales === 0 ||
  !isWhole(sums) ||
  moneyOf(sums).filter(({ revenue_minor }) => revenue_minor > 0).length > 1
    ? texts.none
    : amounts(sums, each => (each.revenue_minor > 0 ? each.revenue_minor / sums.sales : undefined))

/** What affiliates earn for a click, on average. */
export const perClick = (sums: ExploredSums) =>
  sums.clicks === 0 || !isWhole(sums)
    ? texts.none
    : amounts(sums, each => each.commissions_minor / sums.clicks || undefined)

export const clicks = (sums: ExploredSums) => count(sums.clicks)

/** An amount by currency. */
export const sumsOf = (each: Money[], amount: AmountName): Sum[] =>
  each
    .map(own => ({ currency: own.currency, amount_minor: own[`${amount}_minor`] }))
    .filter(({ amount_minor }) => amount_minor !== 0)
