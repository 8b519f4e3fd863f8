import type { ExplainedAttribution } from '@tributary/contract/dashboard'
import { byPlace } from '../../db/by-place.ts'
import type { Db, ReadItems, Tx } from '../../db/database.ts'
import { asJson, type Sql, sql } from '../../db/sql.ts'
import { wasIn } from '../referrals/referral.store.ts'
import { type DrawnSale, drawnSale } from '../sales/sale.store.ts'

export interface ConversionRow {
  id: number
  referral_id: number | null
  attribution: ExplainedAttribution
  occurred_at: string
  /** Null if it was reported before this was stored. */
  is_test: boolean | null
  /** The sale it was reported with. */
  sale_id: number | null
  sale_occurred_at: string | null
  sale_awaits_rate: boolean
}

const ofSale = (column: Sql): Sql =>
  sql`(SELECT ${column} FROM sales s WHERE s.account_id = c.account_id AND s.id = c.sale_id)`

const columns = sql`c.id, c.referral_id, c.attribution, c.occurred_at, c.is_test, c.sale_id,
  ${ofSale(sql`s.occurred_at`)} AS sale_occurred_at, coalesce(${ofSale(sql`s.awaits_rate`)}, false) AS sale_awaits_rate`

interface InCampaign {
  campaignId: number
  customerRef: string
}

const findConversions: ReadItems<InCampaign, ConversionRow | undefined> = async (
  tx,
  accountId,
  customers,
) => {
  const rows = await tx.many<ConversionRow & { place: number }>(sql`
    SELECT found.*, given.place
      FROM unnest(${customers.map(({ campaignId }) => campaignId)}::bigint[], ${customers.map(({ customerRef }) => customerRef)}::text[])
           WITH ORDINALITY AS given (campaign_id, customer_ref, place)
     CROSS JOIN LATERAL (
       SELECT ${columns} FROM conversions c
        WHERE c.account_id = ${accountId} AND c.campaign_id = given.campaign_id AND c.customer_ref = given.customer_ref
        UNION ALL
       SELECT ${columns} FROM referrals r JOIN conversions c ON c.account_id = ${accountId} AND c.referral_id = r.id
        WHERE r.account_id = ${accountId} AND r.campaign_id = given.campaign_id AND r.customer_ref = given.customer_ref
        UNION ALL
       SELECT ${columns} FROM conversions c
        WHERE c.account_id = ${accountId} AND c.referral_id = (${wasIn(accountId, sql`given.campaign_id`, sql`given.customer_ref`)})
        LIMIT 1) found`)
  return byPlace(rows, customers).map(([conversion]) => conversion)
}

/** A customer's conversion in a campaign: reported there, or of a referral that was ever reassigned to it. */
export const findConversion = (
  tx: Tx,
  accountId: number,
  campaignId: number,
  customerRef: string,
): Promise<ConversionRow | undefined> => tx.readItem(findConversions, accountId, { campaignId, customerRef })

export function findConversionOfReferral(
  db: Db,
  accountId: number,
  referralId: number,
): Promise<ConversionRow | undefined> {
  return db.first(sql`
    SELECT ${columns} FROM conversions c
     WHERE c.account_id = ${accountId} AND c.referral_id = ${referralId}`)
}

/** The ids of the rows that a new conversion may need, and the times to store. */
export interface DrawnConversion extends DrawnSale {
  conversion_id: number
  referral_id: number
}

const drawConversions: ReadItems<undefined, DrawnConversion> = (tx, accountId, conversions) =>
  tx.many<DrawnConversion>(sql`
    SELECT nextval('conversions_id_seq') AS conversion_id, nextval('referrals_id_seq') AS referral_id, ${drawnSale(accountId)}
      FROM generate_series(1, ${conversions.length}::integer)`)

/**
 * Draws what a conversion may need. The rows refer to each other, and can be written in one round trip because their ids are known. The
 * caller has locked the customer: the time is not before that of the previous report.
 */
export const drawConversion = (tx: Tx, accountId: number): Promise<DrawnConversion> =>
  tx.readItem(drawConversions, accountId, undefined)

export interface NewConversion {
  id: number
  campaignId: number
  customerRef: string
  referralId: number | null
  attribution: ExplainedAttribution
  occurredAt: string
  saleId: number | null
  isTest: boolean
  subscriptionRef: string | null
}

/** Stores a conversion with its explanation. */
export const insertConversion = (tx: Tx, accountId: number, conversion: NewConversion): void =>
  tx.sendRows(insertConversions, accountId, [conversion])

const insertConversions = (tx: Tx, accountId: number, conversions: NewConversion[]): void =>
  tx.send(sql`
    INSERT INTO conversions (account_id, id, campaign_id, customer_ref, referral_id, attribution, occurred_at, sale_id, is_test,
                             subscription_ref)
    OVERRIDING SYSTEM VALUE
    SELECT ${accountId}, given.* FROM json_to_recordset(${asJson(conversions)}) AS given (id bigint, "campaignId" bigint, "customerRef" text,
      "referralId" bigint, attribution jsonb, "occurredAt" timestamptz, "saleId" bigint, "isTest" boolean, "subscriptionRef" text)`)

/**
 * Replaces an unattributed conversion by a later report; a linked sale is kept, unless one of the two is a test. The caller has locked its
 * customer.
 */
export function replaceConversion(tx: Tx, accountId: number, conversion: NewConversion): void {
  const { id, referralId, attribution, occurredAt, saleId } = conversion
  tx.send(sql`
    UPDATE conversions c
       SET referral_id = ${referralId}, attribution = ${JSON.stringify(attribution)}::jsonb, occurred_at = ${occurredAt},
           sale_id = CASE WHEN coalesce(c.is_test, false) = ${conversion.isTest} THEN coalesce(c.sale_id, ${saleId}) ELSE ${saleId}::bigint END,
           is_test = ${conversion.isTest}, subscription_ref = ${conversion.subscriptionRef}
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.referral_id IS NULL`)
}

/** Credits an unattributed conversion; the caller has locked its customer. */
export async function creditConversion(
  tx: Tx,
  accountId: number,
  id: number,
  credit: { referralId: number; attribution: ExplainedAttribution; campaignId?: number },
): Promise<void> {
  await tx.many(sql`
    UPDATE conversions c
       SET referral_id = ${credit.referralId}, attribution = ${JSON.stringify(credit.attribution)}::jsonb,
           campaign_id = coalesce(${credit.campaignId ?? null}, c.campaign_id)
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.referral_id IS NULL`)
}

/** Replaces the explanation of a referral. Its conversion stays in the campaign that it was reported in. */
export async function replaceExplanation(
  tx: Tx,
  accountId: number,
  id: number,
  attribution: ExplainedAttribution,
): Promise<void> {
  await tx.many(sql`
    UPDATE conversions c SET attribution = ${JSON.stringify(attribution)}::jsonb
     WHERE c.account_id = ${accountId} AND c.id = ${id}`)
}

export interface CreditedRow {
  conversion_id: number
  referral_id: number
  attribution: ExplainedAttribution
  email: string
  paypal_email: string | null
}

/** The customer's referrals that are not rejected, with why they may need a review. The caller has locked the customer. */
export function findCreditedOf(tx: Tx, accountId: number, customerRef: string): Promise<CreditedRow[]> {
  return tx.many(sql`
    SELECT v.id AS conversion_id, r.id AS referral_id, v.attribution, a.email, a.paypal_email
      FROM referrals r
      JOIN conversions v ON v.account_id = ${accountId} AND v.referral_id = r.id
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = r.affiliate_id
     WHERE r.account_id = ${accountId} AND r.customer_ref = ${customerRef} AND r.status <> 'rejected' ORDER BY r.id LIMIT 100`)
}

export interface UncreditedRow {
  campaign_id: number
  customer_ref: string
  referral_id: number | null
  attribution: ExplainedAttribution
  occurred_at: string
  sale_id: number | null
  subscription_ref: string | null
  /** Null if it was reported before this was stored. */
  is_test: boolean | null
}

export function findConversionById(
  db: Db,
  accountId: number,
  id: number,
): Promise<UncreditedRow | undefined> {
  return db.first(sql`
    SELECT c.campaign_id, c.customer_ref, c.referral_id, c.attribution, c.occurred_at, c.sale_id, c.subscription_ref, c.is_test
      FROM conversions c WHERE c.account_id = ${accountId} AND c.id = ${id}`)
}

/** Links a conversion to the sale it was reported with; an existing link is kept. */
export async function linkSale(
  tx: Tx,
  accountId: number,
  conversion: { campaignId: number; customerRef: string; saleExternalId: string },
): Promise<void> {
  await tx.many(sql`
    UPDATE conversions c SET sale_id = s.id FROM sales s
     WHERE c.account_id = ${accountId} AND c.campaign_id = ${conversion.campaignId}
       AND c.customer_ref = ${conversion.customerRef} AND c.sale_id IS NULL
       AND s.account_id = ${accountId} AND s.external_id = ${conversion.saleExternalId}`)
}
