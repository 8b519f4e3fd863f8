import type { Referral } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { earnSales, MOST_SALES } from '../sales/adopt-sales.ts'
import { earn } from '../sales/earn.ts'
import { adoptSale } from '../sales/sale.store.ts'
import { termsOfSale } from '../sales/terms-of-sale.ts'
import { type CreditableRow, findFirstSale, findSalesSince } from './pending-credit.store.ts'

/** Links a sale to the referral, to earn by the rules of when it was reported, as if its conversion had been credited at once. */
async function adopt(tx: Tx, accountId: number, { id }: { id: number }, referral: Referral) {
  const sale = await adoptSale(tx, accountId, id, referral.id)
  if (!sale) throw new Error(`Sale ${id} was adopted while its customer was locked.`)
  const eligibility = { referral, terms: await termsOfSale(tx, accountId, id), isRejected: false }
  return { sale, eligibility }
}

/** Creates the commissions of the first sale, less refunds. Returns the error message if it is rejected. */
async function adoptFirstSale(
  tx: Tx,
  accountId: number,
  row: CreditableRow,
  referral: Referral,
): Promise<string | undefined> {
  const first = await findFirstSale(tx, accountId, row)
  if (!first) return undefined
  try {
    await tx.transaction(async inner => {
      const { sale, eligibility } = await adopt(inner, accountId, first, referral)
      await earn(inner, accountId, sale, eligibility, undefined)
    })
    return undefined
  } catch (error) {
    // Rethrowing would keep the referral from ever being credited because of one sale that can't be booked.
    if (error instanceof DomainError) return error.message
    throw error
  }
}

/** The same for the sales that were reported after the approval. One that is rejected stores the reason. */
async function adoptSalesSinceApproval(tx: Tx, accountId: number, row: CreditableRow, referral: Referral) {
  const since = { ...row, reportedSince: row.approved_at }
  for (const one of await findSalesSince(tx, accountId, since, MOST_SALES)) {
    const { sale, eligibility } = await adopt(tx, accountId, one, referral)
    await earnSales(tx, accountId, [sale], eligibility)
  }
}

/**
 * Adopts what a conversion earns that is credited after its affiliate's approval: the first sale, and those reported since the approval. Returns
 * the error message if the first one is rejected.
 */
export async function adoptSinceApproval(
  tx: Tx,
  accountId: number,
  row: CreditableRow,
  referral: Referral,
): Promise<string | undefined> {
  const rejection = await adoptFirstSale(tx, accountId, row, referral)
  await adoptSalesSinceApproval(tx, accountId, row, referral)
  return rejection
}
