import type { Tx } from '../../db/database.ts'
import { DomainError, invalidState } from '../../kit/domain-error.ts'
import { type Eligibility, earn } from './earn.ts'
import { adoptSale, explainUnearned, findUncreditedSales, type SaleRow } from './sale.store.ts'

/** More would hold the locks of one transaction for too long. */
export const MOST_SALES = 500

/** Whether the sale earned; one that exceeds the largest amount at its exchange rate keeps its reason, and does not hold up the others. */
async function earnAdopted(tx: Tx, accountId: number, sale: SaleRow, eligibility: Eligibility) {
  try {
    const { waiting_for } = await tx.transaction(inner =>
      earn(inner, accountId, sale, eligibility, undefined),
    )
    return waiting_for === null ? 'earned' : 'waiting'
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    await explainUnearned(tx, accountId, sale.id, 'amount_too_large')
    return 'refused'
  }
}

/** What happened to the sales of a referral that was credited by a person. */
export interface EarnedSales {
  sales: number
  waiting_sales: number
  refused_sales: number
}

/** Creates the commissions of sales that the caller has locked, less refunds. */
export async function earnSales(
  tx: Tx,
  accountId: number,
  sales: SaleRow[],
  eligibility: Eligibility,
): Promise<EarnedSales> {
  const outcomes: string[] = []
  for (const sale of sales) outcomes.push(await earnAdopted(tx, accountId, sale, eligibility))
  const count = (outcome: string) => outcomes.filter(each => each === outcome).length
  return { sales: sales.length, waiting_sales: count('waiting'), refused_sales: count('refused') }
}

/**
 * Links a conversion's uncredited sales to its new referral and creates their commissions, less refunds. All are linked before the first
 * earns, because a rule may ask which sale was the first. The caller has locked the customer; each sale's lock is taken too, so that a
 * concurrent refund is counted here or finds the entries.
 */
export async function adoptSales(
  tx: Tx,
  accountId: number,
  conversion: Parameters<typeof findUncreditedSales>[2],
  eligibility: Eligibility,
): Promise<EarnedSales> {
  const found = await findUncreditedSales(tx, accountId, conversion, MOST_SALES + 1)
  if (found.length > MOST_SALES)
    throw invalidState(`The customer has more than ${MOST_SALES} sales to credit, which is too many at once.`)
  const adopted: SaleRow[] = []
  for (const { id } of found) {
    const sale = await adoptSale(tx, accountId, id, eligibility.referral.id)
    if (sale) adopted.push(sale)
  }
  return earnSales(tx, accountId, adopted, eligibility)
}
