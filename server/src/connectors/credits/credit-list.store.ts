import type { Commission } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { all, keyset, sql } from '../../db/sql.ts'
import { rowsAfter } from '../../kit/page.ts'
import { NO_CALL } from './credit.store.ts'

export interface CreditRow {
  id: number
  connector_id: number
  commission_id: number
  beneficiary: Commission['beneficiary']
  amount_minor: number
  currency: string
  customer: string | null
  balance_minor: number | null
  balance_currency: string | null
  external_id: string | null
  problem: string | null
  next_attempt_at: string | null
  created_at: string
}

const columns = sql`d.id, d.connector_id, d.commission_id, c.beneficiary, d.amount_minor, c.currency, d.customer, d.balance_minor,
  d.balance_currency, d.external_id, d.problem, d.due_at AS next_attempt_at, d.created_at`

/** The changes that a connector makes to balances, by default the newest first; one more than the page, which tells whether there are more. */
export function listCredits(
  db: Db,
  accountId: number,
  connectorId: number,
  query: { after?: number; limit?: number; order?: 'newest' | 'oldest' },
): Promise<CreditRow[]> {
  const { from, order } = keyset(sql`d.id`, query)
  return db.many(sql`
    SELECT ${columns} FROM connector_credits d
      JOIN commissions c ON c.account_id = ${accountId} AND c.id = d.commission_id
     WHERE d.account_id = ${accountId} AND d.connector_id = ${connectorId} AND ${all(from)}
     ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}`)
}

const SHOWN = 100

/** How the credit of a commission was granted, oldest first. */
export function creditsOfCommission(db: Db, accountId: number, commissionId: number): Promise<CreditRow[]> {
  return db.many(sql`
    SELECT ${columns} FROM connector_credits d
      JOIN commissions c ON c.account_id = ${accountId} AND c.id = d.commission_id
     WHERE d.account_id = ${accountId} AND d.commission_id = ${commissionId} ORDER BY d.id LIMIT ${SHOWN}`)
}

/** A change with its status. */
export function presentCredit(credit: CreditRow) {
  const made = credit.amount_minor > 0 ? ('granted' as const) : ('taken_back' as const)
  const open = credit.problem === null ? ('pending' as const) : ('failed' as const)
  const { external_id } = credit
  return {
    ...credit,
    external_id: external_id === NO_CALL ? null : external_id,
    status: external_id === null ? open : made,
  }
}
