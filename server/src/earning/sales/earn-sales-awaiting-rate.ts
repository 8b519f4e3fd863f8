import type { Db } from '../../db/database.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { lockCustomer } from '../referrals/referral.store.ts'
import { referralById } from '../referrals/referrals-of-customer.ts'
import { findSalesAwaitingRate, type Place, type SaleAwaitingRate } from './awaiting-rate.store.ts'
import { earnStoredSale } from './earn-stored-sale.ts'
import { explainUnearned, lockSale } from './sale.store.ts'
import { termsOfSale } from './terms-of-sale.ts'

/**
 * Locks the customer first: meanwhile no report adds a sale that may be the customer's first. Why it doesn't earn is stored under the same locks:
 * afterwards, another process may have created its commission at the next rate.
 */
async function computeSale(
  db: Db,
  { account_id: accountId, external_id, customer_ref }: SaleAwaitingRate,
): Promise<void> {
  await db.transaction(async tx => {
    await lockCustomer(tx, accountId, customer_ref)
    const sale = await lockSale(tx, accountId, external_id)
    if (!sale?.awaits_rate || sale.referral_id === null) return
    const referral = await referralById(tx, accountId, sale.referral_id)
    const terms = await termsOfSale(tx, accountId, sale.id)
    try {
      await tx.transaction(inner => earnStoredSale(inner, accountId, sale, referral, terms))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      // Its amount is rejected at the new rate: the merchant sees why it is still waiting.
      await explainUnearned(tx, accountId, sale.id, 'amount_too_large')
    }
  })
}

/** The time limit of one run, so that stopping the service does not wait for a long backlog. */
const RUN_MS = 2000
const PAGE = 500
/** More that are still without a rate are looked at by the next runs. */
const PAGES_PER_RUN = 10
const START: Place = { account_id: 0, id: 0 }

interface Progress {
  /** The last sale that had its turn. */
  after: Place
}
const progressOf = new WeakMap<Db, Progress>()

/**
 * Creates the commissions of sales whose exchange rate is now available, less refunds. One transaction each, and none for a sale whose rate
 * is still missing. A sale that fails is reported at the end and does not block the others; the next run goes on where this one ends.
 */
export async function earnSalesAwaitingRate(db: Db, runMs = RUN_MS): Promise<void> {
  const deadline = performance.now() + runMs
  const progress = progressOf.get(db) ?? { after: START }
  progressOf.set(db, progress)
  const failures: unknown[] = []
  for (let pages = 0; pages < PAGES_PER_RUN; pages++) {
    const page = await findSalesAwaitingRate(db, progress.after, PAGE)
    if (page.length === 0) {
      progress.after = START
      break
    }
    for (const sale of page) {
      progress.after = sale
      if (!sale.has_rates) continue
      await computeSale(db, sale).catch(failure => failures.push(failure))
      if (performance.now() >= deadline) break
    }
    if (performance.now() >= deadline) break
  }
  if (failures.length > 0) throw new AggregateError(failures, `Failed to compute ${failures.length} sales.`)
}
