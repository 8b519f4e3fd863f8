import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface AdmissionRow {
  account_id: number
  api_key_id: number
  granted: number
  used: number
  frees_in_ms: number
}

/** Requests slots for the key with this digest; undefined if no active key has it. */
export function admitRequests(
  db: Db,
  keyHash: Buffer,
  request: { allowed: number; wanted: number; usableForMs: number },
): Promise<AdmissionRow | undefined> {
  return db.first(sql`
    SELECT account_id, api_key_id, granted, used, frees_in_ms
    FROM admit_requests(${keyHash}, ${request.allowed}, ${request.wanted},
                        make_interval(secs => ${request.usableForMs / 1000}))`)
}

/** Which of these digests belong to active keys. */
export async function findLiveKeys(db: Db, keyHashes: Buffer[]): Promise<{ digest: Buffer; found: true }[]> {
  const rows = await db.many<{ key_hash: Buffer }>(sql`
    /* every account */ SELECT key_hash FROM api_keys WHERE key_hash = ANY (${keyHashes}::bytea[]) AND revoked_at IS NULL`)
  return rows.map(({ key_hash }) => ({ digest: key_hash, found: true }))
}
