import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { emailKey } from '../kit/email.ts'
import type { LookupKey } from '../kit/shared-lookup.ts'
import type { JoinAnswer } from '../programme/join-forms/join-form.ts'

export interface JoinRow {
  campaign_id: number
  email: string
  name: string | null
  /** Null of a request that an earlier version stored. */
  answers: JoinAnswer[] | null
  terms_version: number | null
}

/** A confirmation that can still be used. */
export type OpenJoin = Pick<JoinRow, 'campaign_id' | 'email' | 'answers' | 'terms_version'> & {
  account_id: number
}

export async function insertJoin(
  tx: Tx,
  accountId: number,
  join: JoinRow & { tokenHash: Buffer; lifetimeHours: number },
): Promise<void> {
  await tx.many(sql`
    INSERT INTO portal_joins (account_id, token_hash, campaign_id, email, email_key, name, answers, terms_version,
      expires_at)
    VALUES (${accountId}, ${join.tokenHash}, ${join.campaign_id}, ${join.email}, ${emailKey(join.email)}, ${join.name},
            ${JSON.stringify(join.answers)}::jsonb, ${join.terms_version},
            now() + ${join.lifetimeHours} * interval '1 hour')`)
}

/** The confirmations among these that are unused and have not expired. Changes nothing. */
export async function findOpenJoins(
  db: Db,
  lookups: LookupKey[],
): Promise<{ digest: Buffer; found: OpenJoin }[]> {
  const rows = await db.many<OpenJoin & { token_hash: Buffer }>(sql`
    /* every account */ SELECT j.token_hash, j.account_id, j.campaign_id, j.email, j.answers, j.terms_version
      FROM unnest(${lookups.map(({ slug }) => slug)}::text[], ${lookups.map(({ digest }) => digest)}::bytea[]) AS wanted (slug, digest)
      JOIN accounts c ON c.slug = wanted.slug
      JOIN portal_joins j ON j.account_id = c.id AND j.token_hash = wanted.digest AND j.used_at IS NULL AND j.expires_at > now()`)
  return rows.map(({ token_hash, ...found }) => ({ digest: token_hash, found }))
}

/** A confirmation that can still be used, locked: no other request consumes it. */
export function lockJoin(
  tx: Tx,
  accountId: number,
  tokenHash: Buffer,
): Promise<(JoinRow & { taken_at: string }) | undefined> {
  return tx.first(sql`
    SELECT j.campaign_id, j.email, j.name, j.answers, j.terms_version, now() AS taken_at FROM portal_joins j
     WHERE j.account_id = ${accountId} AND j.token_hash = ${tokenHash} AND j.used_at IS NULL AND j.expires_at > now()
       FOR UPDATE`)
}

/** Consumes a locked confirmation. Its answers move to the affiliate, so that deleting them there leaves no copy. */
export async function useJoin(tx: Tx, accountId: number, tokenHash: Buffer): Promise<void> {
  await tx.many(sql`
    UPDATE portal_joins j SET used_at = now(), answers = NULL
     WHERE j.account_id = ${accountId} AND j.token_hash = ${tokenHash}`)
}

export async function countJoinsOf(db: Db, accountId: number, email: string): Promise<number> {
  const row = await db.first<{ count: number }>(sql`
    SELECT count(*)::integer AS count FROM portal_joins j
     WHERE j.account_id = ${accountId} AND j.email_key = ${emailKey(email)} AND j.created_at > now() - interval '1 hour'`)
  return row?.count ?? 0
}

/** The visibility of an active campaign with open enrolment; undefined for any other. */
export async function openVisibility(
  db: Db,
  accountId: number,
  campaignId: number,
): Promise<'public' | 'private' | undefined> {
  const row = await db.first<{ visibility: 'public' | 'private' }>(sql`
    SELECT c.visibility FROM campaigns c
     WHERE c.account_id = ${accountId} AND c.id = ${campaignId} AND c.open_enrollment AND c.status = 'active'`)
  return row?.visibility
}
