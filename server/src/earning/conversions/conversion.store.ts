import type { ExplainedAttribution } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface ConversionRow {
  id: number
  referral_id: number | null
  attribution: ExplainedAttribution
  /** The sale it was reported with. */
  sale_id: number | null
  sale_awaits_rate: boolean
}

const columns = sql`c.id, c.referral_id, c.attribution, c.sale_id, coalesce((
  SELECT s.awaits_rate FROM sales s WHERE s.account_id = c.account_id AND s.id = c.sale_id), false) AS sale_awaits_rate`

export function findConversion(
  db: Db,
  accountId: number,
  campaignId: number,
  customerRef: string,
): Promise<ConversionRow | undefined> {
  return db.first(sql`
    SELECT ${columns} FROM conversions c
     WHERE c.account_id = ${accountId} AND c.campaign_id = ${campaignId} AND c.customer_ref = ${customerRef}`)
}

export function findConversionOfReferral(
  db: Db,
  accountId: number,
  referralId: number,
): Promise<ConversionRow | undefined> {
  return db.first(sql`
    SELECT ${columns} FROM conversions c
     WHERE c.account_id = ${accountId} AND c.referral_id = ${referralId}`)
}

/** Stores a conversion with its explanation. An unattributed one is replaced by a later report. */
export async function saveConversion(
  tx: Tx,
  accountId: number,
  conversion: {
    campaignId: number
    customerRef: string
    referralId: number | null
    attribution: ExplainedAttribution
    occurredAt: string
  },
): Promise<number> {
  const { campaignId, customerRef, referralId, attribution, occurredAt } = conversion
  const row = await tx.first<{ id: number }>(sql`
    INSERT INTO conversions AS c (account_id, campaign_id, customer_ref, referral_id, attribution, occurred_at)
    VALUES (${accountId}, ${campaignId}, ${customerRef}, ${referralId}, ${JSON.stringify(attribution)}::jsonb, ${occurredAt})
    ON CONFLICT ON CONSTRAINT conversions_customer_known DO UPDATE
      SET referral_id = excluded.referral_id, attribution = excluded.attribution, occurred_at = excluded.occurred_at
      WHERE c.referral_id IS NULL
    RETURNING c.id`)
  if (!row) throw new Error(`The conversion of ${customerRef} was credited while its customer was locked.`)
  return row.id
}

/** Credits an unattributed conversion; the caller has locked its customer. */
export async function creditConversion(
  tx: Tx,
  accountId: number,
  id: number,
  credit: { referralId: number; attribution: ExplainedAttribution },
): Promise<void> {
  await tx.many(sql`
    UPDATE conversions c SET referral_id = ${credit.referralId}, attribution = ${JSON.stringify(credit.attribution)}::jsonb
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.referral_id IS NULL`)
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
