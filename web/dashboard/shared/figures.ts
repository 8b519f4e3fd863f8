import type { ExploredSums } from '@tributary/contract/dashboard'
import { count, money, percent } from '../../ui/format.ts'
import { texts as sharedTexts } from './en.ts'

const { metrics: texts } = sharedTexts

const share = (part: number, whole: number) => (whole === 0 ? texts.none : percent(part / whole, 1))

/** Amounts of different currencies have no sum, so each is listed. */
const amounts = (sums: ExploredSums, amount: (each: ExploredSums['money'][number]) => number | undefined) => {
  const shown = sums.money.flatMap(each => {
    const minor = amount(each)
    return minor === undefined ? [] : [money(Math.round(minor), each.currency)]
  })
  return shown.length === 0 ? texts.none : shown.join(', ')
}

/** In the first currency that has revenue. */
const shareOfRevenue = (
  sums: ExploredSums,
  part: (each: ExploredSums['money'][number]) => number,
): string => {
  const [first] = sums.money.filter(({ revenue_minor }) => revenue_minor > 0)
  return first ? share(part(first), first.revenue_minor) : texts.none
}

export const conversionRate = (sums: ExploredSums) => share(sums.conversions, sums.clicks)
export const revenue = (sums: ExploredSums) => amounts(sums, each => each.revenue_minor || undefined)
export const commissions = (sums: ExploredSums) => amounts(sums, each => each.commissions_minor || undefined)
export const refundRate = (sums: ExploredSums) => shareOfRevenue(sums, each => each.refunded_minor)
/** Commissions in one currency may be those of sales in another. */
export const commissionShare = (sums: ExploredSums) =>
  sums.money.length === 1 ? shareOfRevenue(sums, each => each.commissions_minor) : texts.none

/** With sales in several currencies there is no average: their number is known only for all of them. */
export const averageOrder = (sums: ExploredSums) =>
  sums.sales === 0 || sums.money.filter(({ revenue_minor }) => revenue_minor > 0).length > 1
    ? texts.none
    : amounts(sums, each => (each.revenue_minor > 0 ? each.revenue_minor / sums.sales : undefined))

/** What affiliates earn for a click, on average. */
export const perClick = (sums: ExploredSums) =>
  sums.clicks === 0 ? texts.none : amounts(sums, each => each.commissions_minor / sums.clicks || undefined)

export const clicks = (sums: ExploredSums) => count(sums.clicks)
