import type { ListReferralsQuery } from '@tributary/contract'
import type { Db, Tx } from '../../db/database.ts'
import { all, inRange, sql, when } from '../../db/sql.ts'
import { rowsToFetch } from '../../kit/page.ts'
import type { ReferralRow } from './referral.ts'

const columns = sql`r.id, r.campaign_id, r.affiliate_id, r.customer_ref, r.subscription_ref, r.status, r.is_test,
  r.occurred_at, r.created_at`

export function findReferral(db: Db, accountId: number, id: number): Promise<ReferralRow | undefined> {
  return db.first(sql`SELECT ${columns} FROM referrals r WHERE r.account_id = ${accountId} AND r.id = ${id}`)
}

export function listReferrals(db: Db, accountId: number, query: ListReferralsQuery): Promise<ReferralRow[]> {
  const filters = all(
    ...inRange(sql`r.id`, sql`r.created_at`, query),
    when(query.campaign_id, id => sql`r.campaign_id = ${id}`),
    when(query.affiliate_id, id => sql`r.affiliate_id = ${id}`),
    when(query.status, status => sql`r.status = ${status}`),
    when(query.customer_ref, ref => sql`r.customer_ref = ${ref}`),
    when(query.is_test, isTest => sql`r.is_test = ${isTest}`),
  )
  return db.many(sql`
    SELECT ${columns} FROM referrals r WHERE r.account_id = ${accountId} AND ${filters}
    ORDER BY r.id DESC LIMIT ${rowsToFetch(query.limit)}`)
}

/**
 * Serializes reports about one customer until the transaction ends: the same conversion, or a conversion and its sale, may be reported
 * many times concurrently.
 */
export async function lockCustomer(tx: Tx, accountId: number, customerRef: string): Promise<void> {
  await tx.many(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`customer:${customerRef}`}, ${accountId}))`,
  )
}

/** Share-locked: a sale reported while its referral is being rejected waits, and then earns nothing. */
export function findReferralsOfCustomer(
  db: Tx,
  accountId: number,
  customerRef: string,
): Promise<ReferralRow[]> {
  return db.many(sql`
    SELECT ${columns} FROM referrals r
     WHERE r.account_id = ${accountId} AND r.customer_ref = ${customerRef} ORDER BY r.id LIMIT 100 FOR SHARE`)
}

/** Share-locked until the transaction ends, so that a concurrent review waits. */
export function shareLockReferral(tx: Tx, accountId: number, id: number): Promise<ReferralRow | undefined> {
  return tx.first(sql`
    SELECT ${columns} FROM referrals r WHERE r.account_id = ${accountId} AND r.id = ${id} FOR SHARE`)
}

export async function insertReferral(
  tx: Tx,
  accountId: number,
  referral: Omit<ReferralRow, 'id' | 'created_at'>,
): Promise<ReferralRow> {
  const row = await tx.first<ReferralRow>(sql`
    INSERT INTO referrals AS r (account_id, campaign_id, affiliate_id, customer_ref, subscription_ref, status, is_test, occurred_at)
    VALUES (${accountId}, ${referral.campaign_id}, ${referral.affiliate_id}, ${referral.customer_ref},
            ${referral.subscription_ref}, ${referral.status}, ${referral.is_test}, ${referral.occurred_at})
    RETURNING ${columns}`)
  return row as ReferralRow
}

export async function findRejection(
  db: Db,
  accountId: number,
  id: number,
): Promise<{ reason: string; is_shared: boolean } | null> {
  const row = await db.first<{ reason: string | null; is_shared: boolean }>(sql`
    SELECT r.rejection_reason AS reason, r.rejection_is_shared AS is_shared FROM referrals r
     WHERE r.account_id = ${accountId} AND r.id = ${id}`)
  return row && row.reason !== null ? { reason: row.reason, is_shared: row.is_shared } : null
}

/** Updates the status if it is one of `from`; undefined otherwise, so that only one of two concurrent reviews succeeds. */
export function moveReferralStatus(
  tx: Tx,
  accountId: number,
  id: number,
  from: ReferralRow['status'][],
  to: ReferralRow['status'],
  rejection: { reason: string; isShared: boolean } | undefined,
): Promise<ReferralRow | undefined> {
  return tx.first(sql`
    UPDATE referrals r
       SET status = ${to}, reviewed_at = CASE r.status WHEN 'pending_review' THEN now() ELSE r.reviewed_at END,
           rejection_reason = ${rejection?.reason ?? null}, rejection_is_shared = ${rejection?.isShared ?? false}
     WHERE r.account_id = ${accountId} AND r.id = ${id} AND r.status = ANY (${from}::text[]) RETURNING ${columns}`)
}
