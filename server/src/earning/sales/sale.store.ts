import type { ReferralSale } from '@tributary/contract/dashboard'
import type { Db, ReadItems, Tx } from '../../db/database.ts'
import { asJson, type Sql, sql } from '../../db/sql.ts'
import { type DrawnEntries, drawnEntries } from '../../money/ledger/drawn-entries.ts'

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

const findSales: ReadItems<string, SaleRow | undefined> = async (tx, accountId, externalIds) => {
  const rows = await tx.many<SaleRow>(sql`
    SELECT ${columns} FROM sales s
     WHERE s.account_id = ${accountId} AND s.external_id = ANY (${externalIds}::text[])`)
  return externalIds.map(id => rows.find(({ external_id }) => external_id === id))
}

export const findSale = (tx: Tx, accountId: number, externalId: string): Promise<SaleRow | undefined> =>
  tx.readItem(findSales, accountId, externalId)

/** A sale of this referral. */
export const findSaleOfReferral = (
  db: Db,
  accountId: number,
  referralId: number,
  saleId: number,
): Promise<SaleRow | undefined> =>
  db.first(sql`
    SELECT ${columns} FROM sales s
     WHERE s.account_id = ${accountId} AND s.id = ${saleId} AND s.referral_id = ${referralId}`)

/** Takes the sale's row lock, which serializes its refunds, repairs and late exchange rates: each sees the previous one's writes. */
export function lockSale(tx: Tx, accountId: number, externalId: string): Promise<SaleRow | undefined> {
  return tx.first(sql`
    SELECT ${columns} FROM sales s WHERE s.account_id = ${accountId} AND s.external_id = ${externalId} FOR NO KEY UPDATE`)
}

/** Those of these sales that exist, with their row locks, in id order. */
export function lockSales(tx: Tx, accountId: number, externalIds: string[]): Promise<SaleRow[]> {
  return tx.many(sql`
    SELECT ${columns} FROM sales s
     WHERE s.account_id = ${accountId} AND s.external_id = ANY (${externalIds}::text[]) ORDER BY s.id FOR NO KEY UPDATE`)
}

/** The refunded amount of a sale. The caller holds its lock, so no refund is in flight. */
export async function refundedSoFar(tx: Tx, accountId: number, saleId: number): Promise<number> {
  const row = await tx.first<{ total: number }>(sql`
    SELECT coalesce(sum(f.amount_minor), 0)::bigint AS total FROM refunds f
     WHERE f.account_id = ${accountId} AND f.sale_id = ${saleId} AND f.reversed_at IS NULL`)
  return row?.total ?? 0
}

/** The refunds of a sale that were not reversed, oldest first. The caller holds its lock. */
export function refundsInForce(
  tx: Tx,
  accountId: number,
  saleId: number,
): Promise<{ id: number; amount_minor: number }[]> {
  return tx.many(sql`
    SELECT f.id, f.amount_minor FROM refunds f
     WHERE f.account_id = ${accountId} AND f.sale_id = ${saleId} AND f.reversed_at IS NULL ORDER BY f.id`)
}

export interface DrawnSale extends DrawnEntries {
  sale_id: number
  /** The current time. */
  now: string
}

/** What is drawn for a sale that may be inserted. */
export const drawnSale = (accountId: number): Sql => sql`
  nextval('sales_id_seq') AS sale_id, clock_timestamp()::timestamptz(3) AS now, ${drawnEntries(accountId)}`

const drawSales: ReadItems<undefined, DrawnSale> = (tx, accountId, sales) =>
  tx.many<DrawnSale>(sql`SELECT ${drawnSale(accountId)} FROM generate_series(1, ${sales.length}::integer)`)

/** Draws what a sale may need. The caller has locked the customer: the time is not before that of the previous report. */
export const drawSale = (tx: Tx, accountId: number): Promise<DrawnSale> =>
  tx.readItem(drawSales, accountId, undefined)

type NewSale = Omit<SaleRow, 'awaits_rate'> & {
  subscription_ref?: string | null
  is_test?: boolean
  /** The campaign that its report named. */
  campaign_id?: number
}

const insertSales = (tx: Tx, accountId: number, sales: NewSale[]): void =>
  tx.send(sql`
    INSERT INTO sales (account_id, id, external_id, customer_ref, subscription_ref, referral_id, amount_minor, currency, occurred_at,
                       reported_campaign_id, is_test)
    OVERRIDING SYSTEM VALUE
    SELECT ${accountId}, given.id, given.external_id, given.customer_ref, given.subscription_ref, given.referral_id, given.amount_minor,
           given.currency, given.occurred_at, given.campaign_id, coalesce(given.is_test, false)
      FROM json_to_recordset(${asJson(sales)}) AS given (id bigint, external_id text, customer_ref text, subscription_ref text,
        referral_id bigint, amount_minor bigint, currency text, occurred_at timestamptz, campaign_id bigint, is_test boolean)`)

/**
 * Stores a sale under an id that was drawn before, and returns it as stored. If its external id is taken, even by a concurrent report,
 * the transaction fails: see `refuseTakenId`.
 */
export function insertSale(tx: Tx, accountId: number, id: number, sale: Omit<NewSale, 'id'>): SaleRow {
  const { external_id, customer_ref, referral_id, amount_minor, currency, occurred_at } = sale
  tx.sendRows(insertSales, accountId, [{ ...sale, id }])
  return {
    id,
    external_id,
    customer_ref,
    referral_id,
    amount_minor,
    currency,
    occurred_at,
    awaits_rate: false,
  }
}

/**
 * Whether a sale `s` is within this many months of its referral's first one, as an expression; 0 months means the first sale only. A sale of
 * 0, such as a trial, does not count as the first. One refunded since does: a refund reverses the commission, not the sale. For one that
 * was replaced, the other counts. Once a sale has earned in the campaign by rules that pay for the first alone, an earlier one that is
 * credited later is not the first.
 */
export const withinMonthsOfFirst = (months: Sql): Sql => sql`(
  SELECT CASE WHEN ${months} = 0 THEN s.id = first.id AND NOT EXISTS (
                SELECT 1 FROM commissions e
                  JOIN sales o ON o.account_id = e.account_id AND o.id = e.sale_id AND o.assignment = e.assignment
                 WHERE e.account_id = s.account_id AND e.referral_id = s.referral_id AND e.entry_type IN ('earned', 'credit')
                   AND e.campaign_id = (SELECT r.campaign_id FROM referrals r WHERE r.account_id = s.account_id AND r.id = s.referral_id)
                   AND o.id <> s.id AND o.replaced_by IS NULL
                   AND NOT EXISTS (SELECT 1 FROM commission_rules x
                                    WHERE x.account_id = e.account_id AND x.campaign_id = e.campaign_id AND x.version = e.rule_version
                                      AND x.beneficiary = e.beneficiary AND x.recurring_months IS DISTINCT FROM 0))
              ELSE s.occurred_at < (first.occurred_at AT TIME ZONE 'UTC' + make_interval(months => ${months})) AT TIME ZONE 'UTC' END
    FROM (SELECT coalesce(n.id, f.id) AS id, coalesce(n.occurred_at, f.occurred_at) AS occurred_at
            FROM sales f
            LEFT JOIN sales n ON n.account_id = f.account_id AND n.external_id = f.replaced_by AND n.referral_id = f.referral_id
           WHERE f.account_id = s.account_id AND f.referral_id = s.referral_id AND f.amount_minor > 0
             AND (f.replaced_by IS NULL OR n.id IS NOT NULL)
           ORDER BY f.id LIMIT 1) first)`

/** The same of one sale, whose customer the caller has locked. */
export async function isWithinMonthsOfFirst(
  db: Db,
  accountId: number,
  saleId: number,
  months: number,
): Promise<boolean> {
  const row = await db.first<{ within: boolean | null }>(sql`
    SELECT ${withinMonthsOfFirst(sql`${months}::integer`)} AS within
      FROM sales s WHERE s.account_id = ${accountId} AND s.id = ${saleId}`)
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

/** The sales of a referral, with their row locks, in id order. */
export function lockSalesOfReferral(
  tx: Tx,
  accountId: number,
  referralId: number,
  limit: number,
): Promise<SaleRow[]> {
  return tx.many(sql`
    SELECT ${columns} FROM sales s
     WHERE s.account_id = ${accountId} AND s.referral_id = ${referralId} ORDER BY s.id LIMIT ${limit} FOR NO KEY UPDATE`)
}

/** Begins a new assignment of sales that the caller has locked: what they earned before doesn't count any more. */
export async function reassignSales(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  await tx.many(sql`
    UPDATE sales s SET assignment = s.assignment + 1, unearned_reason = NULL
     WHERE s.account_id = ${accountId} AND s.id = ANY (${ids}::bigint[])`)
}

/** Links a sale to a later referral and takes its row lock; undefined if it already has one, or another sale reports the same money. */
export function adoptSale(
  tx: Tx,
  accountId: number,
  saleId: number,
  referralId: number,
): Promise<SaleRow | undefined> {
  return tx.first(sql`
    UPDATE sales s SET referral_id = ${referralId}
     WHERE s.account_id = ${accountId} AND s.id = ${saleId} AND s.referral_id IS NULL AND s.replaced_by IS NULL
    RETURNING ${columns}`)
}

/** Notes that another sale reports the same money. The caller takes this one back. */
export async function markReplaced(tx: Tx, accountId: number, externalId: string, by: string): Promise<void> {
  await tx.many(sql`
    UPDATE sales s SET replaced_by = ${by} WHERE s.account_id = ${accountId} AND s.external_id = ${externalId}`)
}

/**
 * The customer's sales that no referral has: the one a conversion was reported with, and those since; without those of tests, unless the
 * conversion is one. In id order, as they are locked.
 */
export function findUncreditedSales(
  tx: Tx,
  accountId: number,
  conversion: { customer_ref: string; occurred_at: string; sale_id: number | null; is_test: boolean | null },
  limit: number,
): Promise<SaleRow[]> {
  const { customer_ref, occurred_at, sale_id, is_test } = conversion
  return tx.many(sql`
    SELECT ${columns} FROM sales s
     WHERE s.account_id = ${accountId} AND s.customer_ref = ${customer_ref} AND s.referral_id IS NULL
       AND s.replaced_by IS NULL AND (s.occurred_at >= ${occurred_at} OR s.id = ${sale_id})
       AND (NOT s.is_test OR ${is_test ?? false}::boolean)
     ORDER BY s.id LIMIT ${limit}`)
}
