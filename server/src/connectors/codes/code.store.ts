import { NOW } from '../../db/current-time.ts'
import type { Db, Tx } from '../../db/database.ts'
import { all, keyset, sql, when } from '../../db/sql.ts'
import { rowsAfter } from '../../kit/page.ts'

/** How many codes one run adds at most: turning the codes on for a large programme takes several runs. */
const ADDED_PER_RUN = 500

/** Writes down the codes of approved affiliates that are to be created at a provider. */
export async function insertMissingCodes(db: Db): Promise<void> {
  await db.many(sql`
    /* every account */
    INSERT INTO connector_codes (account_id, connector_id, affiliate_id, code, code_key, coupon)
    SELECT c.account_id, c.id, a.id, a.coupon_code, a.coupon_code_key, c.code_coupon FROM connectors c
      JOIN affiliates a ON a.account_id = c.account_id AND a.status = 'approved' AND a.coupon_code_key IS NOT NULL
     WHERE c.code_coupon IS NOT NULL AND c.removed_at IS NULL AND NOT EXISTS (
             SELECT 1 FROM connector_codes d
              WHERE d.account_id = c.account_id AND d.connector_id = c.id AND d.affiliate_id = a.id
                AND d.code_key = a.coupon_code_key)
     LIMIT ${ADDED_PER_RUN}
    ON CONFLICT ON CONSTRAINT connector_codes_once DO NOTHING`)
}

/** Makes the codes due whose affiliate was approved or rejected, or got another code, since they were last looked at. */
export async function makeChangedCodesDue(db: Db): Promise<void> {
  await db.many(sql`
    /* every account */
    UPDATE connector_codes d SET due_at = now(), attempts = 0
      FROM connectors c, affiliates a
     WHERE c.account_id = d.account_id AND c.id = d.connector_id AND (c.code_coupon IS NOT NULL OR d.is_active) AND c.removed_at IS NULL
       AND a.account_id = d.account_id AND a.id = d.affiliate_id
       AND d.due_at IS NULL AND d.is_ours AND d.problem IS NULL
       AND d.is_active <> (a.status = 'approved' AND a.coupon_code_key IS NOT DISTINCT FROM d.code_key)`)
}

export interface ClaimedCode {
  account_id: number
  id: number
  connector_id: number
  affiliate_id: number
  code: string
  coupon: string | null
  idempotency_key: string
  external_id: string | null
  is_active: boolean
  /** How often it was tried, with this time. */
  attempts: number
  /** Until when no other process takes it. */
  due_at: string | null
}

/** Takes a code that is due, of any account. A process that has not recorded its outcome after five minutes has crashed. */
export function claimCode(db: Db): Promise<ClaimedCode | undefined> {
  return db.first(sql`
    /* every account */
    WITH due AS (
      SELECT d.account_id, d.id FROM connector_codes d WHERE d.due_at <= ${NOW}
       ORDER BY d.due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE connector_codes d SET due_at = now() + interval '5 minutes', attempts = d.attempts + 1 FROM due
     WHERE d.account_id = due.account_id AND d.id = due.id
    RETURNING d.account_id, d.id, d.connector_id, d.affiliate_id, d.code, d.coupon, d.idempotency_key, d.external_id, d.is_active,
              d.attempts, d.due_at`)
}

/** Whether customers should be able to use a code: its affiliate is approved and still has it. */
export async function isWanted(db: Db, accountId: number, id: number): Promise<boolean> {
  const row = await db.first<{ is_wanted: boolean }>(sql`
    SELECT coalesce(a.status = 'approved' AND a.coupon_code_key = d.code_key, false) AS is_wanted FROM connector_codes d
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = d.affiliate_id
     WHERE d.account_id = ${accountId} AND d.id = ${id}`)
  return row?.is_wanted ?? false
}

export interface CodeOutcome {
  externalId: string | null
  isActive: boolean
  isOurs: boolean
  problem: string | null
  dueInSeconds: number | null
  /** The provider rejected the call: the next one needs another key. */
  isRejected?: boolean
}

/** Records the outcome of a claim, unless another process has claimed the code since. */
export async function recordCode(
  db: Db,
  { account_id: accountId, id, due_at: claimedUntil }: ClaimedCode,
  outcome: CodeOutcome,
): Promise<void> {
  await db.many(sql`
    UPDATE connector_codes d
       SET external_id = ${outcome.externalId}, is_active = ${outcome.isActive}, is_ours = ${outcome.isOurs}, problem = ${outcome.problem},
           due_at = now() + ${outcome.dueInSeconds}::double precision * interval '1 second',
           idempotency_key = CASE WHEN ${outcome.isRejected ?? false} THEN gen_random_uuid()::text ELSE d.idempotency_key END
     WHERE d.account_id = ${accountId} AND d.id = ${id} AND d.due_at = ${claimedUntil}`)
}

/** A code that was made at the provider and is an affiliate's now. */
export async function insertAssignedCode(
  tx: Tx,
  accountId: number,
  code: { connectorId: number; affiliateId: number; code: string; codeKey: string; externalId: string },
): Promise<void> {
  await tx.many(sql`
    INSERT INTO connector_codes AS d (account_id, connector_id, affiliate_id, code, code_key, external_id, is_active, is_ours, due_at)
    VALUES (${accountId}, ${code.connectorId}, ${code.affiliateId}, ${code.code}, ${code.codeKey}, ${code.externalId}, true, false, NULL)
    ON CONFLICT ON CONSTRAINT connector_codes_once DO UPDATE
      SET external_id = excluded.external_id, is_active = true, is_ours = false, problem = NULL, due_at = NULL
    WHERE d.external_id IS NULL`)
}

/** Tries codes that failed again: one, or all of a connector. Returns how many. */
export async function makeFailedCodesDue(
  db: Db,
  accountId: number,
  connectorId: number,
  codeId?: number,
): Promise<number> {
  const rows = await db.many(sql`
    UPDATE connector_codes d SET due_at = now(), attempts = 0
     WHERE d.account_id = ${accountId} AND d.connector_id = ${connectorId} AND d.problem IS NOT NULL
       AND ${all(when(codeId, id => sql`d.id = ${id}`))} RETURNING d.id`)
  return rows.length
}

export interface CodeRow {
  id: number
  affiliate_id: number
  affiliate_name: string | null
  affiliate_email: string
  code: string
  external_id: string | null
  is_active: boolean
  is_ours: boolean
  problem: string | null
  next_attempt_at: string | null
  created_at: string
}

/** The codes of a connector, by default the newest first; one more than the page, which tells whether there are more. */
export function listCodes(
  db: Db,
  accountId: number,
  connectorId: number,
  query: { after?: number; limit?: number; order?: 'newest' | 'oldest' },
): Promise<CodeRow[]> {
  const { from, order } = keyset(sql`d.id`, query)
  return db.many(sql`
    SELECT d.id, d.affiliate_id, a.name AS affiliate_name, a.email AS affiliate_email, d.code, d.external_id, d.is_active, d.is_ours,
           d.problem, d.due_at AS next_attempt_at, d.created_at
      FROM connector_codes d
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = d.affiliate_id
     WHERE d.account_id = ${accountId} AND d.connector_id = ${connectorId} AND ${all(from)}
     ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}`)
}
