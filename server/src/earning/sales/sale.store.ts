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

/** The external ID of a sale of this referral. */
export async function externalIdOf(
  db: Db,
  accountId: number,
  referralId: number,
  saleId: number,
): Promise<string | undefined> {
  const row = await db.first<{ external_id: string }>(sql`
    SELECT s.external_id FROM sales s
     WHERE s.account_id = ${accountId} AND s.id = ${saleId} AND s.referral_id = ${referralId}`)
  return row?.external_id
}

/** Takes the sale's row lock, which serializes its refunds, repairs and late exchange rates: each sees the previous one's writes. */
export function lockSale(tx: Tx, accountId: number, externalId: string): Promise<SaleRow | undefined> {
  return tx.first(sql`
    SELECT ${columns} FROM sales s WHERE s.account_id = ${accountId} AND s.external_id = ${externalId} FOR NO KEY UPDATE`)
}

/** The refunded amount of a sale. The caller holds its lock, so no refund is in flight. */
export async function refundedSoFar(tx: Tx, accountId: number, saleId: number): Promise<number> {
  const row = await tx.first<{ total: number }>(sql`
    SELECT coalesce(sum(f.amount_minor), 0)::bigint AS total FROM refunds f
     WHERE f.account_id = ${accountId} AND f.sale_id = ${saleId}`)
  return row?.total ?? 0
}

/** Stores a sale, with the current time by default; undefined if its external id is taken, even by a concurrent report. */
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
 * Whether the sale is within this many months of the referral's first one; 0 months means the first sale only. A sale of 0, such as a
 * trial, does not count as the first. One refunded since does: a refund reverses the commission, not the sale.
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

/** Stores why a sale earned nothing, or nothing so far. */
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

/** A page of the sales, of all accounts, that are waiting for an exchange rate. */
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

/** Links a sale to a later referral and takes its row lock; undefined if it already has one. */
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
