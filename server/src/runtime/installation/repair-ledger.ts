import type { Commission } from '@tributary/contract'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { referralById } from '../../earning/referrals/referrals-of-customer.ts'
import { takeBackRefunds } from '../../earning/sales/earn-stored-sale.ts'
import { lockSale } from '../../earning/sales/sale.store.ts'
import { formatMinor } from '../../kit/money.ts'
import { balanceVoidEntry } from '../../money/commissions/settle-entry.ts'
import { takeBackEntries } from '../../money/commissions/take-back-entries.ts'
import { damagedEntries } from '../../money/ledger/damage.ts'
import { lockEntry } from '../../money/ledger/entries.ts'
import { moveClawbacks } from '../../money/ledger/move-status.ts'
import { everything } from '../../money/ledger/take-back.ts'

export interface DamagedEntry {
  account_id: number
  id: number
}

/** Every entry that is inconsistent with its clawbacks, refunds or referral, in all accounts. */
export async function findDamagedEntries(db: Db): Promise<DamagedEntry[]> {
  const found = new Map<string, DamagedEntry>()
  for (const damage of Object.values(damagedEntries))
    for (const { account_id, id } of await db.many<DamagedEntry>(damage))
      found.set(`${account_id} ${id}`, { account_id, id })
  return [...found.values()].sort((a, b) => a.account_id - b.account_id || a.id - b.id)
}

const described = ({ id, entry_type, status, payout_amount_minor, payout_currency }: Commission) =>
  status === 'void'
    ? `voided commission ${id}`
    : `wrote ${entry_type} ${id} of ${formatMinor(payout_amount_minor, payout_currency)} ${payout_currency}`

/**
 * Makes one entry consistent with its clawbacks, refunds and referral, by moving pending clawbacks and adding entries; written rows do
 * not change. Returns a description of each step. Every step is idempotent, so it is safe to repeat and to run while the service runs.
 * Locks in the same order as refunds and reviews: sale, referral, entry.
 */
export async function repairEntry(tx: Tx, { account_id: accountId, id }: DamagedEntry): Promise<string[]> {
  const names = await tx.first<{ external_id: string | null; referral_id: number | null }>(sql`
    SELECT s.external_id, c.referral_id FROM commissions c
      LEFT JOIN sales s ON s.account_id = ${accountId} AND s.id = c.sale_id
     WHERE c.account_id = ${accountId} AND c.id = ${id}`)
  const sale = names?.external_id ? await lockSale(tx, accountId, names.external_id) : undefined
  const referral = names?.referral_id ? await referralById(tx, accountId, names.referral_id) : undefined
  const entry = await lockEntry(tx, accountId, id)
  if (!entry) return []
  const done: string[] = []
  if (entry.status !== 'pending') {
    const status = entry.status === 'void' ? 'void' : 'approved'
    for (const clawback of await moveClawbacks(tx, accountId, id, status))
      done.push(`${status === 'void' ? 'voided' : 'approved'} clawback ${clawback} with its entry`)
  }
  if (referral?.status === 'rejected') {
    const reason = { refundId: null, description: `Referral ${referral.id} was rejected` }
    done.push(...(await takeBackEntries(tx, accountId, [entry], everything, reason)).map(described))
  }
  if (sale) done.push(...(await takeBackRefunds(tx, accountId, sale)).map(described))
  const adjustment = await balanceVoidEntry(tx, accountId, id)
  if (adjustment) done.push(described(adjustment))
  return done
}
