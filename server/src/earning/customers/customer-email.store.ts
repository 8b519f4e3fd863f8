import type { Db, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { emailKey } from '../../kit/email.ts'
import { containing } from '../../kit/like-pattern.ts'

/** A SQL condition: whether the account keeps its customers' email addresses. */
export const keepsEmails = (accountId: number): Sql =>
  sql`EXISTS (SELECT FROM accounts o WHERE o.id = ${accountId} AND o.keeps_customer_emails)`

/** A customer's address, null if none is kept. Those that are still to be erased are left out. */
export const emailOfCustomer = (accountId: number, customerRef: Sql): Sql => sql`(
  SELECT e.email FROM customer_emails e
   WHERE e.account_id = ${accountId} AND e.customer_ref = ${customerRef} AND ${keepsEmails(accountId)})`

/** Whether a customer's address contains the text, in any case. A lookup for each row, so for a bounded number of rows. */
export const hasEmailLike = (accountId: number, customerRef: Sql, text: string): Sql => sql`(
  SELECT e.email_key FROM customer_emails e
   WHERE e.account_id = ${accountId} AND e.customer_ref = ${customerRef} AND ${keepsEmails(accountId)}
  ) LIKE ${containing(emailKey(text))}`

/** The same for any number of rows: the account's addresses are read once, a million in about half a second. */
export const isAmongEmailsLike = (
  accountId: number,
  customerRef: Sql,
  text: string,
): Sql => sql`${customerRef} IN (
  SELECT e.customer_ref FROM customer_emails e
   WHERE e.account_id = ${accountId} AND e.email_key LIKE ${containing(emailKey(text))} AND ${keepsEmails(accountId)})`

interface CustomerEmail {
  customerRef: string
  email: string
}

/** Stores the address if the condition holds, in place of an earlier one. Sent with the transaction's other writes. */
function upsertEmail(tx: Tx, accountId: number, { customerRef, email }: CustomerEmail, condition: Sql): void {
  tx.send(sql`
    INSERT INTO customer_emails AS e (account_id, customer_ref, email, email_key)
    SELECT ${accountId}, ${customerRef}, ${email}, ${emailKey(email)} WHERE ${condition} AND ${keepsEmails(accountId)}
    ON CONFLICT (account_id, customer_ref) DO UPDATE SET email = excluded.email, email_key = excluded.email_key
     WHERE e.email <> excluded.email`)
}

export const saveEmail = (tx: Tx, accountId: number, customer: CustomerEmail): void =>
  upsertEmail(tx, accountId, customer, sql`true`)

export const saveEmailIfReferred = (tx: Tx, accountId: number, customer: CustomerEmail): void =>
  upsertEmail(
    tx,
    accountId,
    customer,
    sql`EXISTS (SELECT FROM referrals r WHERE r.account_id = ${accountId} AND r.customer_ref = ${customer.customerRef})`,
  )

interface FromClick {
  customerRef: string
  clickId: number
}

/** Gives a customer without an address the last one that the click's visitor left. */
export const saveEmailOfClick = (tx: Tx, accountId: number, customer: FromClick): void =>
  tx.sendRows(saveEmailsOfClicks, accountId, [customer])

const saveEmailsOfClicks = (tx: Tx, accountId: number, customers: FromClick[]): void =>
  tx.send(sql`
    INSERT INTO customer_emails (account_id, customer_ref, email, email_key)
    SELECT ${accountId}, given.customer_ref, found.email, found.email_key
      FROM unnest(${customers.map(({ customerRef }) => customerRef)}::text[], ${customers.map(({ clickId }) => clickId)}::bigint[])
           AS given (customer_ref, click_id)
     CROSS JOIN LATERAL (
       SELECT l.email, l.email_key FROM tracked_leads l
        WHERE l.account_id = ${accountId} AND l.click_id = given.click_id AND l.email IS NOT NULL
        ORDER BY l.created_at DESC LIMIT 1) found
     WHERE ${keepsEmails(accountId)}
    ON CONFLICT (account_id, customer_ref) DO NOTHING`)

/** The newest referrals of one affiliate that are searched for a click: a page reports a visitor's email at about the time of the sign-up. */
const SEARCHED_REFERRALS = 100

/** Gives the address to customers without one who came with the click. */
export function saveEmailOfVisitor(
  tx: Tx,
  accountId: number,
  { clickId, email }: { clickId: number; email: string },
): void {
  // In one order, so that two leads with the same customers never wait for each other.
  tx.send(sql`
    INSERT INTO customer_emails (account_id, customer_ref, email, email_key)
    SELECT ${accountId}, r.customer_ref, ${email}, ${emailKey(email)} FROM clicks k
      CROSS JOIN LATERAL (
        SELECT x.id, x.customer_ref FROM referrals x WHERE x.account_id = ${accountId} AND x.affiliate_id = k.affiliate_id
         ORDER BY x.id DESC LIMIT ${SEARCHED_REFERRALS}) r
      JOIN conversions v ON v.account_id = ${accountId} AND v.referral_id = r.id
       AND v.attribution @> jsonb_build_object('candidates', jsonb_build_array(jsonb_build_object('click_id', k.id)))
     WHERE k.account_id = ${accountId} AND k.id = ${clickId} AND ${keepsEmails(accountId)} ORDER BY r.customer_ref
    ON CONFLICT (account_id, customer_ref) DO NOTHING`)
}

const ERASED_AT_ONCE = 10_000

/**
 * Erases addresses of an account that keeps none, at most 10,000 of each kind at a time; false if some may be left. Rows that a report has
 * locked are left for the next time, so that neither waits for the other.
 */
export async function eraseEmails(tx: Tx, accountId: number): Promise<boolean> {
  const [customers, leads] = await Promise.all([
    tx.many(sql`
      DELETE FROM customer_emails e WHERE e.account_id = ${accountId} AND e.ctid = ANY (ARRAY(
        SELECT x.ctid FROM customer_emails x WHERE x.account_id = ${accountId} AND NOT ${keepsEmails(accountId)}
         LIMIT ${ERASED_AT_ONCE} FOR UPDATE SKIP LOCKED))
      RETURNING 1`),
    tx.many(sql`
      UPDATE tracked_leads l SET email = NULL, email_key = NULL WHERE l.account_id = ${accountId} AND l.ctid = ANY (ARRAY(
        SELECT x.ctid FROM tracked_leads x WHERE x.account_id = ${accountId} AND x.email IS NOT NULL
           AND NOT ${keepsEmails(accountId)} LIMIT ${ERASED_AT_ONCE} FOR UPDATE SKIP LOCKED))
      RETURNING 1`),
  ])
  return customers.length < ERASED_AT_ONCE && leads.length < ERASED_AT_ONCE
}

/** Whether an account that keeps no addresses has some left, also one that a report has locked. */
export async function hasUnkeptEmails(tx: Tx, accountId: number): Promise<boolean> {
  const row = await tx.first<{ has_some: boolean }>(sql`
    SELECT NOT ${keepsEmails(accountId)} AND (
      EXISTS (SELECT FROM customer_emails e WHERE e.account_id = ${accountId})
      OR EXISTS (SELECT FROM tracked_leads l WHERE l.account_id = ${accountId} AND l.email IS NOT NULL)) AS has_some`)
  return row?.has_some ?? false
}

/** Accounts that keep no addresses and have some left. */
export async function listToErase(db: Db): Promise<number[]> {
  const rows = await db.many<{ id: number }>(sql`
    /* every account */ SELECT o.id FROM accounts o
     WHERE NOT o.keeps_customer_emails AND (
       (SELECT true FROM customer_emails e WHERE e.account_id = o.id LIMIT 1)
       OR (SELECT true FROM tracked_leads l WHERE l.account_id = o.id AND l.email IS NOT NULL LIMIT 1)) LIMIT 100`)
  return rows.map(({ id }) => id)
}
