import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { emailKey } from '../../kit/email.ts'
import { isOwnEarning } from '../../money/ledger/entries.ts'
import { sentTo } from '../../money/payouts/payout.store.ts'

export interface Recipient {
  id: number
  email: string
  name: string | null
  status: 'pending' | 'approved' | 'rejected'
}

const columns = sql`a.id, a.email, a.name, a.status`

export function findRecipient(db: Db, accountId: number, id: number): Promise<Recipient | undefined> {
  return db.first(sql`SELECT ${columns} FROM affiliates a WHERE a.account_id = ${accountId} AND a.id = ${id}`)
}

export function findRecipientByEmail(
  db: Db,
  accountId: number,
  email: string,
): Promise<Recipient | undefined> {
  return db.first(sql`
    SELECT ${columns} FROM affiliates a WHERE a.account_id = ${accountId} AND a.email_key = ${emailKey(email)}`)
}

/** The same, with a row lock that keeps email and status unchanged until the transaction ends. */
export function lockRecipientByEmail(
  tx: Tx,
  accountId: number,
  email: string,
): Promise<Recipient | undefined> {
  return tx.first(sql`
    SELECT ${columns} FROM affiliates a WHERE a.account_id = ${accountId} AND a.email_key = ${emailKey(email)} FOR SHARE`)
}

export async function findCampaignName(db: Db, accountId: number, id: number): Promise<string | undefined> {
  const row = await db.first<{ name: string }>(sql`
    SELECT c.name FROM campaigns c WHERE c.account_id = ${accountId} AND c.id = ${id}`)
  return row?.name
}

/** The commission that was the affiliate's first when it was noted; undefined if it's void. Of two concurrent ones, both may have been. */
export function findFirstCommission(
  db: Db,
  accountId: number,
  id: number,
): Promise<{ payout_amount_minor: number; payout_currency: string; hold_day: string | null } | undefined> {
  return db.first(sql`
    SELECT c.payout_amount_minor, c.payout_currency,
           to_char(c.hold_until AT TIME ZONE a.time_zone, 'YYYY-MM-DD') AS hold_day
      FROM commissions c JOIN accounts a ON a.id = c.account_id
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.status <> 'void' AND ${isOwnEarning(accountId)}`)
}

export interface PaidItem {
  amount_minor: number
  currency: string
  sent_to: string | null
  reason: string | null
}

export function findPayoutItem(db: Db, accountId: number, id: number): Promise<PaidItem | undefined> {
  return db.first(sql`
    SELECT i.amount_minor, i.currency, ${sentTo} AS sent_to, i.reason
      FROM payout_items i JOIN payouts p ON p.account_id = ${accountId} AND p.id = i.payout_id
     WHERE i.account_id = ${accountId} AND i.id = ${id}`)
}
