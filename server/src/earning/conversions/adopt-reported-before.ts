import type { Referral } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { earnSales, MOST_SALES } from '../sales/adopt-sales.ts'
import { earn } from '../sales/earn.ts'
import { adoptSale, type SaleRow } from '../sales/sale.store.ts'
import { termsOfSale } from '../sales/terms-of-sale.ts'
import { findSalesSince, type SalesSince } from './pending-credit.store.ts'

/**
 * Credits the sales since a conversion that were reported before it, as they would have been after it, by the rules of when they were reported; with
 * them `ownId`, of an earlier report of the conversion, and `named`, which this report names. All are linked before the first earns, because a
 * rule may ask which sale was the first. One that is rejected stores the reason; the one that the report names is refused with it.
 */
export async function adoptReportedBefore(
  tx: Tx,
  accountId: number,
  since: SalesSince,
  referral: Referral,
  { ownId, named }: { ownId: number | undefined; named: number | undefined },
): Promise<void> {
  const found = await findSalesSince(tx, accountId, since, MOST_SALES)
  const ids = new Set([...found.map(({ id }) => id), ownId, named])
  const sales: SaleRow[] = []
  for (const id of [...ids].filter(id => id !== undefined).toSorted((a, b) => a - b)) {
    const sale = await adoptSale(tx, accountId, id, referral.id)
    if (sale) sales.push(sale)
  }
  for (const sale of sales) {
    const eligibility = { referral, terms: await termsOfSale(tx, accountId, sale.id), isRejected: false }
    if (sale.id === named) await earn(tx, accountId, sale, eligibility, undefined)
    else await earnSales(tx, accountId, [sale], eligibility)
  }
}
