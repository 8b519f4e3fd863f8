import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { emailKey } from '../../kit/email.ts'
import { type AffiliateDetails, couponCodeKey } from './affiliate.ts'

/**
 * Inserts and enrols the affiliates whose email, token and coupon code are free, and whose token is no alias, and returns their positions. The reason for
 * skipping another is found by adding it individually. Of two conflicting rows, the first is inserted.
 */
export async function insertNewAffiliates(
  tx: Tx,
  accountId: number,
  campaignId: number,
  affiliates: AffiliateDetails[],
): Promise<Set<number>> {
  const given = affiliates.map((details, position) => ({
    ...details,
    position,
    email_key: emailKey(details.email),
    coupon_code_key: details.coupon_code === null ? null : couponCodeKey(details.coupon_code),
  }))
  const rows = await tx.many<{ position: number }>(sql`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS each (position integer, email text, email_key text,
        name text, kind text, token text, coupon_code text, coupon_code_key text, paypal_email text, tags jsonb)
    ), added AS (
      INSERT INTO affiliates (account_id, email, email_key, name, status, kind, token, coupon_code, coupon_code_key, paypal_email, tags)
      SELECT ${accountId}, g.email, g.email_key, g.name, 'pending', g.kind, g.token, g.coupon_code, g.coupon_code_key,
             g.paypal_email, ARRAY(SELECT jsonb_array_elements_text(g.tags))
        FROM given g
       WHERE NOT EXISTS (SELECT 1 FROM token_aliases t WHERE t.account_id = ${accountId} AND t.token = g.token)
       ORDER BY g.position
      ON CONFLICT DO NOTHING RETURNING id, email_key, token
    ), enrolled AS (
      INSERT INTO enrolments (account_id, affiliate_id, campaign_id)
      SELECT ${accountId}, added.id, ${campaignId}::bigint FROM added
    )
    SELECT min(g.position) AS position FROM added JOIN given g ON g.email_key = added.email_key AND g.token = added.token
     GROUP BY added.id`)
  return new Set(rows.map(({ position }) => position))
}
