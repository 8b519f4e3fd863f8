import type { ListReferralsQuery } from '@tributary/contract'
import type { Db, ReadItems, TransactionOptions, Tx } from '../../db/database.ts'
import { all, asJson, inRange, type Sql, sql, when } from '../../db/sql.ts'
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

/** Reports about different customers may share a commit. */
export const groupOf = (accountId: number, customerRef: string): TransactionOptions => ({
  groupCommit: { kind: 'reports', accountId, key: `${accountId} ${customerRef}` },
})

/** In the order of the list. */
const lockCustomers: ReadItems<string, unknown> = (tx, accountId, customerRefs) =>
  tx.many(sql`
    SELECT pg_advisory_xact_lock(hashtextextended('customer:' || given.customer_ref, ${accountId}))
      FROM unnest(${customerRefs}::text[]) AS given (customer_ref)`)

/**
 * The advisory lock that serializes reports about one customer until the transaction ends: the same conversion, or a conversion and its sale,
 * may be reported many times concurrently.
 */
export async function lockCustomer(tx: Tx, accountId: number, customerRef: string): Promise<void> {
  await tx.readItem(lockCustomers, accountId, customerRef)
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

/** Locked until the transaction ends: a concurrent review waits, and so does a reader that takes a share lock. */
export function lockReferral(tx: Tx, accountId: number, id: number): Promise<ReferralRow | undefined> {
  return tx.first(sql`
    SELECT ${columns} FROM referrals r WHERE r.account_id = ${accountId} AND r.id = ${id} FOR NO KEY UPDATE`)
}

/** Credits a referral that the caller has locked to another affiliate, or in another campaign, and keeps who it was credited to. */
export async function moveReferral(
  tx: Tx,
  accountId: number,
  { id, campaign_id, affiliate_id }: ReferralRow,
  to: Pick<ReferralRow, 'campaign_id' | 'affiliate_id' | 'status'>,
): Promise<ReferralRow | undefined> {
  await tx.many(sql`
    INSERT INTO past_assignments (account_id, referral_id, campaign_id, affiliate_id)
    VALUES (${accountId}, ${id}, ${campaign_id}, ${affiliate_id})`)
  return tx.first(sql`
    UPDATE referrals r
       SET campaign_id = ${to.campaign_id}, affiliate_id = ${to.affiliate_id}, status = ${to.status},
           reviewed_at = CASE WHEN r.status = 'pending_review' AND ${to.status} <> r.status THEN now() ELSE r.reviewed_at END
     WHERE r.account_id = ${accountId} AND r.id = ${id} RETURNING ${columns}`)
}

/** The customer's referral that was in a campaign before; if there were several, the last of them. */
export const wasIn = (accountId: number, campaignId: number | Sql, customerRef: string | Sql): Sql => sql`
  SELECT r.id FROM referrals r
    JOIN past_assignments p ON p.account_id = ${accountId} AND p.referral_id = r.id AND p.campaign_id = ${campaignId}
   WHERE r.account_id = ${accountId} AND r.customer_ref = ${customerRef} ORDER BY p.id DESC LIMIT 1`

/** The customer's referral that converted in a campaign, or was reassigned to it: it may have been reassigned to another one since. */
export async function findReferralReportedIn(
  tx: Tx,
  accountId: number,
  campaignId: number,
  customerRef: string,
): Promise<number | undefined> {
  const row = await tx.first<{ referral_id: number | null }>(sql`
    SELECT v.referral_id FROM conversions v
     WHERE v.account_id = ${accountId} AND v.campaign_id = ${campaignId} AND v.customer_ref = ${customerRef}
       AND v.referral_id IS NOT NULL
     UNION ALL SELECT (${wasIn(accountId, campaignId, customerRef)}) LIMIT 1`)
  return row?.referral_id ?? undefined
}

/** The id and the creation time of a referral that is about to be inserted. */
export async function drawReferral(tx: Tx): Promise<Pick<ReferralRow, 'id' | 'created_at'>> {
  const drawn = await tx.first<{ id: number; created_at: string }>(
    sql`SELECT nextval('referrals_id_seq') AS id, now()::timestamptz(3) AS created_at`,
  )
  return drawn as Pick<ReferralRow, 'id' | 'created_at'>
}

export const insertReferral = (tx: Tx, accountId: number, referral: ReferralRow): void =>
  tx.sendRows(insertReferrals, accountId, [referral])

const insertReferrals = (tx: Tx, accountId: number, referrals: ReferralRow[]): void =>
  tx.send(sql`
    INSERT INTO referrals (account_id, id, campaign_id, affiliate_id, customer_ref, subscription_ref, status, is_test, occurred_at,
                           created_at)
    OVERRIDING SYSTEM VALUE
    SELECT ${accountId}, given.* FROM json_to_recordset(${asJson(referrals)}) AS given (id bigint, campaign_id bigint, affiliate_id bigint,
      customer_ref text, subscription_ref text, status text, is_test boolean, occurred_at timestamptz, created_at timestamptz)`)

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
