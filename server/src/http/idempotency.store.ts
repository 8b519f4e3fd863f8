import type { Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/** Idempotency keys are scoped to their API key. */
export interface IdempotencyScope {
  accountId: number
  apiKeyId: number
  key: string
}

/** Locks the key until the transaction ends; false while another request holds it, in any process. */
export async function tryLockKey(tx: Tx, { apiKeyId, key }: IdempotencyScope): Promise<boolean> {
  const row = await tx.first<{ locked: boolean }>(
    sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${`idempotency:${key}`}, ${apiKeyId})) AS locked`,
  )
  return row?.locked === true
}

export function findResponse(
  tx: Tx,
  { accountId, apiKeyId, key }: IdempotencyScope,
): Promise<{ request_hash: Buffer; sealed_answer: Buffer } | undefined> {
  return tx.first(sql`
    SELECT request_hash, sealed_answer FROM idempotency_keys
    WHERE account_id = ${accountId} AND api_key_id = ${apiKeyId} AND idempotency_key = ${key}
      AND created_at > now() - interval '24 hours'`)
}

/** Overwrites an expired response that has not been swept yet. */
export function insertResponse(
  tx: Tx,
  { accountId, apiKeyId, key }: IdempotencyScope,
  response: { requestHash: Buffer; sealed: Buffer },
): void {
  tx.send(sql`
    INSERT INTO idempotency_keys (account_id, api_key_id, idempotency_key, request_hash, sealed_answer)
    VALUES (${accountId}, ${apiKeyId}, ${key}, ${response.requestHash}, ${response.sealed})
    ON CONFLICT (account_id, api_key_id, idempotency_key) DO UPDATE
      SET request_hash = excluded.request_hash, sealed_answer = excluded.sealed_answer, created_at = now()`)
}
