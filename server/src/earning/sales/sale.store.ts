import type { ReferralSale } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface SaleRow {
  id: number
  external_id: string
  customer_ref: string
  referral_id: number | null
  amount_minor: number
  currency: string
  occurred_at: string
  awaits_rate: boolean
}

const columns = sql`s.id, s.external_id, s.customer_ref, s.referral_id, s.amount_minor, s.currency, s.occurred_at, s.awaits_rate`

export function findSale(db: Db, accountId: number, externalId: string): Promise<SaleRow | undefined> {
  return db.first(sql`
    SELECT ${columns} FROM sales s WHERE s.account_id = ${accountId} AND s.external_id = ${externalId}`)
}

/** Locks the sale: its refunds, a repair and a rate that arrives take turns, and each sees what the one before has written. */
export function lockSale(tx: Tx, accountId: number, externalId: string): Promise<SaleRow | undefined> {
  return tx.first(sql`
    SELECT ${columns} FROM sales s WHERE s.account_id = ${accountId} AND s.external_id = ${externalId} FOR NO KEY UPDATE`)
}

/** What was refunded of a sale so far. The caller has locked the sale, so no refund is under way beside it. */
export async function refundedSoFar(tx: Tx, accountId: number, saleId: number): Promise<number> {
  const row = await tx.first<{ total: number }>(sql`
    SELECT coalesce(sum(f.amount_minor), 0)::bigint AS total FROM refunds f
     WHERE f.account_id = ${accountId} AND f.sale_id = ${saleId}`)
  return row?.total ?? 0
}

/** Keeps a sale, of now where no time is named; undefined when its external id is known, even by a report that runs beside this one. */
export function insertSale(
  tx: Tx,
  accountId: number,
  sale: {
    externalId: string
    customerRef: string
    subscriptionRef: string | null
    referralId: number | null
    amountMinor: number
    currency: string
    occurredAt: string | undefined
  },
): Promise<SaleRow | undefined> {
  return tx.first(sql`
    INSERT INTO sales AS s (account_id, external_id, customer_ref, subscription_ref, referral_id, amount_minor, currency, occurred_at)
    VALUES (${accountId}, ${sale.externalId}, ${sale.customerRef}, ${sale.subscriptionRef}, ${sale.referralId},
            ${sale.amountMinor}, ${sale.currency}, coalesce(${sale.occurredAt ?? null}, clock_timestamp()))
    ON CONFLICT ON CONSTRAINT sales_external_id_known DO NOTHING
    RETURNING ${columns}`)
}

/**
 * Whether the sale lies within so many months of the referral's first one; 0 months is the first sale alone. A sale of 0, such as
 * a trial, is no first sale. One that was refunded since still is: a refund takes back what was earned, not what happened.
 */
export async function isWithinMonthsOfFirst(
  db: Db,
  accountId: number,
  sale: { id: number; referral_id: number | null },
  months: number,
): Promise<boolean> {
  const row = await db.first<{ within: boolean }>(sql`
    SELECT CASE WHEN ${months}::integer = 0 THEN this.id = first.id
                ELSE this.occurred_at < (first.occurred_at AT TIME ZONE 'UTC' + make_interval(months => ${months}::integer)) AT TIME ZONE 'UTC' END AS within
      FROM sales this, (SELECT s.id, s.occurred_at FROM sales s
                         WHERE s.account_id = ${accountId} AND s.referral_id = ${sale.referral_id} AND s.amount_minor > 0
                         ORDER BY s.id LIMIT 1) first
     WHERE this.account_id = ${accountId} AND this.id = ${sale.id}`)
  return row?.within ?? false
}

export async function setAwaitsRate(
  tx: Tx,
  accountId: number,
  saleId: number,
  awaits: boolean,
): Promise<void> {
  await tx.many(sql`
    UPDATE sales s SET awaits_rate = ${awaits}, unearned_reason = CASE WHEN ${awaits} THEN s.unearned_reason END
     WHERE s.account_id = ${accountId} AND s.id = ${saleId}`)
}

/** Keeps with a sale why it earned nothing, or nothing so far. */
export async function explainUnearned(
  db: Db,
  accountId: number,
  saleId: number,
  reason: NonNullable<ReferralSale['unearned_reason']>,
): Promise<void> {
  await db.many(sql`
    UPDATE sales s SET unearned_reason = ${reason}
     WHERE s.account_id = ${accountId} AND s.id = ${saleId} AND s.unearned_reason IS DISTINCT FROM ${reason}`)
}

/** A page of the sales of all accounts that wait for a rate of exchange. */
export function findSalesAwaitingRate(
  db: Db,
  after: { account_id: number; id: number },
): Promise<{ account_id: number; id: number; external_id: string }[]> {
  return db.many(sql`
    /* every account */
    SELECT s.account_id, s.id, s.external_id FROM sales s
     WHERE s.awaits_rate AND (s.account_id, s.id) > (${after.account_id}, ${after.id})
     ORDER BY s.account_id, s.id LIMIT 500`)
}

/** Ties a sale to the referral that came after it, and locks it; undefined when it has one. */
export function adoptSale(
  tx: Tx,
  accountId: number,
  saleId: number,
  referralId: number,
): Promise<SaleRow | undefined> {
  return tx.first(sql`
    UPDATE sales s SET referral_id = ${referralId}
     WHERE s.account_id = ${accountId} AND s.id = ${saleId} AND s.referral_id IS NULL RETURNING ${columns}`)
}
