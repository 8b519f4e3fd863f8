import { byPlace } from '../../db/by-place.ts'
import type { Db, ReadItems, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type AffiliateStatus, couponCodeKey } from './affiliate.ts'
import { affiliateOfToken } from './token-alias.store.ts'
/** An affiliate that the evidence of a conversion refers to. */
export interface NamedAffiliateRow {
  id: number
  status: AffiliateStatus
  email: string
  paypal_email: string | null
  /** Whether every new referral of theirs needs a review. */
  review_referrals: boolean
  is_enrolled: boolean
}

/** Of the affiliate with the alias `a`. */
export const namedColumns = (
  accountId: number,
  campaignId: number | Sql,
): Sql => sql`a.id, a.status, a.email, a.paypal_email, a.review_referrals, EXISTS (
  SELECT 1 FROM enrolments e WHERE e.account_id = ${accountId} AND e.affiliate_id = a.id AND e.campaign_id = ${campaignId}) AS is_enrolled`

export function findNamedById(
  db: Db,
  accountId: number,
  campaignId: number,
  id: number,
): Promise<NamedAffiliateRow | undefined> {
  return db.first(sql`
    SELECT ${namedColumns(accountId, campaignId)} FROM affiliates a WHERE a.account_id = ${accountId} AND a.id = ${id}`)
}

interface Named {
  campaignId: number
  name: string
}
type FindNamed = ReadItems<Named, NamedAffiliateRow | undefined>

/** One statement for each way to name an affiliate: combined with OR, they are planned again for every conversion. */
async function findNamed(
  tx: Tx,
  accountId: number,
  named: Named[],
  condition: Sql,
): Promise<(NamedAffiliateRow | undefined)[]> {
  const rows = await tx.many<NamedAffiliateRow & { place: number }>(sql`
    SELECT ${namedColumns(accountId, sql`given.campaign_id`)}, given.place
      FROM unnest(${named.map(({ campaignId }) => campaignId)}::bigint[], ${named.map(({ name }) => name)}::text[])
           WITH ORDINALITY AS given (campaign_id, name, place)
      JOIN affiliates a ON a.account_id = ${accountId} AND ${condition}`)
  return byPlace(rows, named).map(([affiliate]) => affiliate)
}

const findByTokens: FindNamed = (tx, accountId, named) =>
  findNamed(tx, accountId, named, sql`a.id = ${affiliateOfToken(accountId, sql`given.name`)}`)

const findByCouponCodes: FindNamed = (tx, accountId, named) =>
  findNamed(tx, accountId, named, sql`a.coupon_code_key = given.name`)

/** By the current token or an old one. */
export const findByToken = (tx: Tx, accountId: number, campaignId: number, token: string) =>
  tx.readItem(findByTokens, accountId, { campaignId, name: token })

export const findByCouponCode = (tx: Tx, accountId: number, campaignId: number, code: string) =>
  tx.readItem(findByCouponCodes, accountId, { campaignId, name: couponCodeKey(code) })
