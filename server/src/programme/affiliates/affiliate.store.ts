import type { ListAffiliatesQuery } from '@tributary/contract'
import type { Db, Tx } from '../../db/database.ts'
import { all, inRange, sql, when } from '../../db/sql.ts'
import { emailKey } from '../../kit/email.ts'
import { rowsToFetch } from '../../kit/page.ts'
import {
  type AffiliateDetails,
  type AffiliateRow,
  type AffiliateStatus,
  couponCodeKey,
  type Rejection,
} from './affiliate.ts'

const ownColumns = sql`a.id, a.email, a.name, a.status, a.kind, a.token, a.coupon_code, a.paypal_email, a.tags, a.created_at`

const columns = sql`${ownColumns},
  ARRAY(SELECT e.campaign_id FROM enrolments e
         WHERE e.account_id = a.account_id AND e.affiliate_id = a.id ORDER BY e.id) AS campaign_ids`

export function findAffiliate(db: Db, accountId: number, id: number): Promise<AffiliateRow | undefined> {
  return db.first(sql`SELECT ${columns} FROM affiliates a WHERE a.account_id = ${accountId} AND a.id = ${id}`)
}

/** Whose coupon codes these are, by the keys of the codes. */
export async function affiliatesOfCodes(
  db: Db,
  accountId: number,
  keys: string[],
): Promise<Map<string, number>> {
  const rows = await db.many<{ id: number; coupon_code_key: string | null }>(sql`
    SELECT a.id, a.coupon_code_key FROM affiliates a
     WHERE a.account_id = ${accountId} AND a.coupon_code_key = ANY (${keys}::text[])`)
  return new Map(rows.map(({ id, coupon_code_key }) => [`${coupon_code_key}`, id]))
}

/** Locks the affiliate for the rest of the transaction, which serializes changes of its status. */
export function lockAffiliate(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<
  | {
      status: AffiliateStatus
      email: string
      name: string | null
      paypal_email: string | null
      token: string
    }
  | undefined
> {
  return tx.first(sql`SELECT a.status, a.email, a.name, a.paypal_email, a.token FROM affiliates a
    WHERE a.account_id = ${accountId} AND a.id = ${id} FOR NO KEY UPDATE`)
}

/** Their statuses, with shared row locks until the transaction ends. */
export async function shareAffiliateStatuses(
  tx: Tx,
  accountId: number,
  ids: number[],
): Promise<Map<number, AffiliateStatus>> {
  const rows = await tx.many<{ id: number; status: AffiliateStatus }>(sql`
    SELECT a.id, a.status FROM affiliates a
     WHERE a.account_id = ${accountId} AND a.id = ANY (${ids}::bigint[]) ORDER BY a.id FOR SHARE`)
  return new Map(rows.map(({ id, status }) => [id, status]))
}

export function findAffiliateByEmail(
  db: Db,
  accountId: number,
  email: string,
): Promise<AffiliateRow | undefined> {
  return db.first(sql`SELECT ${columns} FROM affiliates a
    WHERE a.account_id = ${accountId} AND a.email_key = ${emailKey(email)}`)
}

/** Which of these tokens other affiliates have. */
export async function takenTokens(db: Db, accountId: number, tokens: string[]): Promise<Set<string>> {
  const rows = await db.many<{ token: string }>(sql`
    SELECT a.token FROM affiliates a WHERE a.account_id = ${accountId} AND a.token = ANY (${tokens}::text[])`)
  return new Set(rows.map(({ token }) => token))
}

/** Inserts a pending affiliate, enrolled in a campaign; undefined when the email is taken, including by a concurrent request. */
export function insertAffiliate(
  tx: Tx,
  accountId: number,
  campaignId: number,
  details: AffiliateDetails,
): Promise<AffiliateRow | undefined> {
  const { email, name, kind, token, coupon_code, paypal_email, tags } = details
  return tx.first(sql`
    WITH a AS (
      INSERT INTO affiliates (account_id, email, email_key, name, status, kind, token, coupon_code, coupon_code_key,
                              paypal_email, tags)
      VALUES (${accountId}, ${email}, ${emailKey(email)}, ${name}, 'pending', ${kind}, ${token}, ${coupon_code},
              ${coupon_code === null ? null : couponCodeKey(coupon_code)}, ${paypal_email}, ${tags})
      ON CONFLICT ON CONSTRAINT affiliates_email_taken DO NOTHING
      RETURNING *
    ), enrolled AS (
      INSERT INTO enrolments (account_id, affiliate_id, campaign_id) SELECT ${accountId}, a.id, ${campaignId} FROM a
    )
    SELECT ${ownColumns}, ARRAY[${campaignId}::bigint] AS campaign_ids FROM a`)
}

/** Enrols an affiliate by ID; false when already enrolled. By ID, because the email may change concurrently. */
export async function enrol(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  campaignId: number,
): Promise<boolean> {
  const enrolment = await tx.first(sql`
    INSERT INTO enrolments (account_id, affiliate_id, campaign_id) VALUES (${accountId}, ${affiliateId}, ${campaignId})
    ON CONFLICT DO NOTHING RETURNING id`)
  return enrolment !== undefined
}

/** Omitted fields stay unchanged. Null clears a nullable field, so a flag distinguishes null from absent. */
export async function updateAffiliateDetails(
  tx: Tx,
  accountId: number,
  id: number,
  changes: Partial<AffiliateDetails>,
): Promise<void> {
  const { email, name, kind, token, coupon_code, paypal_email, tags } = changes
  await tx.many(sql`
    UPDATE affiliates SET
      email = coalesce(${email ?? null}, email),
      email_key = coalesce(${email === undefined ? null : emailKey(email)}, email_key),
      name = CASE WHEN ${name !== undefined} THEN ${name ?? null} ELSE name END,
      kind = coalesce(${kind ?? null}, kind),
      token = coalesce(${token ?? null}, token),
      coupon_code = CASE WHEN ${coupon_code !== undefined} THEN ${coupon_code ?? null} ELSE coupon_code END,
      coupon_code_key = CASE WHEN ${coupon_code !== undefined}
                             THEN ${coupon_code ? couponCodeKey(coupon_code) : null} ELSE coupon_code_key END,
      paypal_email = CASE WHEN ${paypal_email !== undefined} THEN ${paypal_email ?? null} ELSE paypal_email END,
      tags = coalesce(${tags ?? null}, tags)
    WHERE account_id = ${accountId} AND id = ${id}`)
}

export async function findAffiliateRejection(
  db: Db,
  accountId: number,
  id: number,
): Promise<{ reason: string; is_shared: boolean } | null> {
  const row = await db.first<{ reason: string | null; is_shared: boolean }>(sql`
    SELECT a.rejection_reason AS reason, a.rejection_is_shared AS is_shared FROM affiliates a
     WHERE a.account_id = ${accountId} AND a.id = ${id}`)
  return row && row.reason !== null ? { reason: row.reason, is_shared: row.is_shared } : null
}

/** Holds the affiliate's new referrals for review, or ends that; false when nothing changes. */
export async function setReviewReferrals(
  tx: Tx,
  accountId: number,
  id: number,
  isHeld: boolean,
): Promise<boolean> {
  const changed = await tx.first(sql`
    UPDATE affiliates SET review_referrals = ${isHeld}
    WHERE account_id = ${accountId} AND id = ${id} AND review_referrals <> ${isHeld} RETURNING id`)
  return changed !== undefined
}

export async function areReferralsReviewed(db: Db, accountId: number, id: number): Promise<boolean> {
  const row = await db.first<{ review_referrals: boolean }>(sql`
    SELECT a.review_referrals FROM affiliates a WHERE a.account_id = ${accountId} AND a.id = ${id}`)
  return row?.review_referrals === true
}

/** Changes the status; false when it is already set, so that only one of two concurrent requests makes the change. */
export async function moveAffiliateStatus(
  tx: Tx,
  accountId: number,
  id: number,
  status: AffiliateStatus,
  rejection?: Rejection,
): Promise<boolean> {
  const moved = await tx.first(sql`
    UPDATE affiliates
       SET status = ${status}, rejection_reason = ${rejection?.reason ?? null}, rejection_is_shared = ${rejection?.isShared ?? false}
    WHERE account_id = ${accountId} AND id = ${id} AND status <> ${status} RETURNING id`)
  return moved !== undefined
}

/**
 * Queues the affiliate's pending conversions for crediting after an approval. The caller holds the affiliate's row lock, which
 * every report of such a conversion shares, so none is missed. A repeated approval replaces the previous one.
 */
export function noteLookBack(tx: Tx, accountId: number, id: number): void {
  tx.send(sql`
    INSERT INTO look_backs (account_id, affiliate_id)
    SELECT ${accountId}, ${id} WHERE EXISTS (
      SELECT 1 FROM pending_credits p WHERE p.account_id = ${accountId} AND p.affiliate_id = ${id})
    ON CONFLICT (account_id, affiliate_id) DO UPDATE SET approved_at = excluded.approved_at`)
}

export function listAffiliates(
  db: Db,
  accountId: number,
  query: ListAffiliatesQuery,
): Promise<AffiliateRow[]> {
  const filters = all(
    ...inRange(sql`a.id`, sql`a.created_at`, query),
    when(query.status, status => sql`a.status = ${status}`),
    when(query.kind, kind => sql`a.kind = ${kind}`),
    when(query.email, email => sql`a.email_key = ${emailKey(email)}`),
    when(query.tag, tag => sql`a.tags @> ARRAY[${tag}::text]`),
    when(
      query.campaign_id,
      campaignId => sql`EXISTS (SELECT 1 FROM enrolments e
        WHERE e.account_id = a.account_id AND e.affiliate_id = a.id AND e.campaign_id = ${campaignId})`,
    ),
  )
  return db.many(sql`
    SELECT ${columns} FROM affiliates a WHERE a.account_id = ${accountId} AND ${filters}
    ORDER BY a.id DESC LIMIT ${rowsToFetch(query.limit)}`)
}

/** Whether the affiliate has signed in from the IP address of a click. */
export async function hasSignedInFrom(
  db: Db,
  accountId: number,
  affiliateId: number,
  addressHash: Buffer,
): Promise<boolean> {
  const row = await db.first(sql`
    SELECT 1 FROM affiliate_addresses s
     WHERE s.account_id = ${accountId} AND s.affiliate_id = ${affiliateId} AND s.address_hash = ${addressHash}`)
  return row !== undefined
}

/** Hashes of an IP address and of its network. */
export interface SignInAddress {
  addressHash: Buffer
  networkHash: Buffer
}

export async function noteSignInAddress(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  { addressHash, networkHash }: SignInAddress,
): Promise<void> {
  await tx.many(sql`
    INSERT INTO affiliate_addresses (account_id, affiliate_id, address_hash, network_hash)
    VALUES (${accountId}, ${affiliateId}, ${addressHash}, ${networkHash})
    ON CONFLICT (account_id, affiliate_id, address_hash) DO UPDATE SET last_seen_at = now(), network_hash = excluded.network_hash`)
}
