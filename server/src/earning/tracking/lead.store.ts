import type { Db, ReadItems, Tx } from '../../db/database.ts'
import { repeatBounded } from '../../db/repeat-bounded.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { emailKey } from '../../kit/email.ts'

/**
 * The advisory lock of a click until the transaction ends: of a lead, and of what compares an affiliate with the click's leads, the second waits
 * for the first and sees it. Customers are locked before clicks, and a lead locks one click, so no two wait for each other. Advisory, since
 * a conversion would otherwise write to the click's row.
 */
const clickKey = (accountId: number, clickId: Sql): Sql =>
  sql`hashtextextended('click:' || ${clickId}, ${accountId})`

/** Leads of the click wait, and those before are visible to the statements that follow. */
export const shareLockClicks: ReadItems<number[], unknown> = (tx, accountId, clickIds) =>
  tx.many(sql`
    SELECT pg_advisory_xact_lock_shared(${clickKey(accountId, sql`given.click_id`)})
      FROM unnest(${clickIds.flat()}::bigint[]) AS given (click_id)`)

/** Locks the click of a visitor; false if the visitor has no such click, which is checked first: anyone can name a click. */
export async function lockOwnClick(
  tx: Tx,
  accountId: number,
  { clickId, visitorId }: { clickId: number; visitorId: string },
): Promise<boolean> {
  const row = await tx.first<{ id: number }>(sql`
    SELECT c.id FROM clicks c WHERE c.account_id = ${accountId} AND c.id = ${clickId} AND c.visitor_id = ${visitorId}`)
  if (row) await tx.many(sql`SELECT pg_advisory_xact_lock(${clickKey(accountId, sql`${clickId}::bigint`)})`)
  return row !== undefined
}

/** How many other emails the click has. */
export async function countOtherLeads(
  tx: Tx,
  accountId: number,
  { clickId, emailHash }: { clickId: number; emailHash: Buffer },
): Promise<number> {
  const row = await tx.first<{ leads: number }>(sql`
    SELECT count(*)::integer AS leads FROM tracked_leads l
     WHERE l.account_id = ${accountId} AND l.click_id = ${clickId} AND l.email_hash <> ${emailHash}`)
  return row?.leads ?? 0
}

/** The newest click of an email wins. Repeating a lead writes nothing. Only an account that keeps addresses can read the email. */
export async function saveLead(
  tx: Tx,
  accountId: number,
  { clickId, emailHash, email }: { clickId: number; emailHash: Buffer; email: string },
): Promise<void> {
  await tx.many(sql`
    INSERT INTO tracked_leads AS l (account_id, email_hash, click_id, email, email_key)
    SELECT ${accountId}, ${emailHash}, ${clickId}, CASE WHEN o.keeps_customer_emails THEN ${email} END,
           CASE WHEN o.keeps_customer_emails THEN ${emailKey(email)} END
      FROM accounts o WHERE o.id = ${accountId}
    ON CONFLICT (account_id, email_hash) DO UPDATE
       SET click_id = excluded.click_id, created_at = now(), email = excluded.email, email_key = excluded.email_key
     WHERE l.click_id < excluded.click_id`)
}

export async function findLeadClick(
  db: Db,
  accountId: number,
  emailHash: Buffer,
): Promise<number | undefined> {
  const row = await db.first<{ click_id: number }>(sql`
    SELECT l.click_id FROM tracked_leads l WHERE l.account_id = ${accountId} AND l.email_hash = ${emailHash}`)
  return row?.click_id
}

/** Referrals of one affiliate that are searched for a click, so that a search takes the same time whatever the affiliate brought. */
const SEARCHED_REFERRALS = 20_000
const MOST_FOUND = 20

/** The referrals of customers who came with the click of an email. */
export async function findReferralsOfLead(db: Db, accountId: number, emailHash: Buffer): Promise<number[]> {
  const rows = await db.many<{ id: number }>(sql`
    SELECT r.id FROM tracked_leads l
      JOIN clicks k ON k.account_id = ${accountId} AND k.id = l.click_id
      CROSS JOIN LATERAL (
        SELECT x.id FROM referrals x WHERE x.account_id = ${accountId} AND x.affiliate_id = k.affiliate_id
         ORDER BY x.id DESC LIMIT ${SEARCHED_REFERRALS}) r
      JOIN conversions v ON v.account_id = ${accountId} AND v.referral_id = r.id
       AND v.attribution @> jsonb_build_object('candidates', jsonb_build_array(jsonb_build_object('click_id', l.click_id)))
     WHERE l.account_id = ${accountId} AND l.email_hash = ${emailHash} ORDER BY r.id DESC LIMIT ${MOST_FOUND}`)
  return rows.map(({ id }) => id)
}

/** The customers who came with the click, if the email is that of the affiliate who is credited for them. */
export async function findOwnCustomers(
  tx: Tx,
  accountId: number,
  { clickId, email }: { clickId: number; email: string },
): Promise<string[]> {
  const key = emailKey(email)
  const rows = await tx.many<{ customer_ref: string }>(sql`
    SELECT r.customer_ref FROM clicks k
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = k.affiliate_id AND (a.email_key = ${key} OR lower(a.paypal_email) = ${key})
      CROSS JOIN LATERAL (
        SELECT x.id, x.customer_ref FROM referrals x WHERE x.account_id = ${accountId} AND x.affiliate_id = k.affiliate_id
         ORDER BY x.id DESC LIMIT ${SEARCHED_REFERRALS}) r
      JOIN conversions v ON v.account_id = ${accountId} AND v.referral_id = r.id
       AND v.attribution @> jsonb_build_object('candidates', jsonb_build_array(jsonb_build_object('click_id', k.id)))
     WHERE k.account_id = ${accountId} AND k.id = ${clickId} GROUP BY r.customer_ref ORDER BY r.customer_ref LIMIT ${MOST_FOUND}`)
  return rows.map(row => row.customer_ref)
}

/** The most that one statement deletes. */
const MOST_DELETED = 10_000

/** Deletes leads that are older than any click. */
export const deleteOldLeads = (db: Db, retentionDays: number, signal?: AbortSignal): Promise<void> =>
  repeatBounded(
    MOST_DELETED,
    () =>
      db.many(sql`
    /* every account */ DELETE FROM tracked_leads WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM tracked_leads WHERE created_at < now() - make_interval(days => ${retentionDays})
       LIMIT ${MOST_DELETED} FOR UPDATE SKIP LOCKED)) RETURNING 1`),
    signal,
  )
