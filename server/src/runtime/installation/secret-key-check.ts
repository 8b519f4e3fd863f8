import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { SecretBox } from '../../kit/secret-box.ts'

/** Records the key that secrets will be sealed with, unless there is one. */
export async function recordSecretKey(db: Db, secrets: SecretBox): Promise<void> {
  await db.many(
    sql`INSERT INTO installation (secret_key_check) VALUES (${secrets.check()}) ON CONFLICT DO NOTHING`,
  )
}

/** Whether this process holds the recorded key; true if none is recorded. */
export async function hasMatchingSecretKey(db: Db, secrets: SecretBox): Promise<boolean> {
  const row = await db.first<{ secret_key_check: Buffer }>(sql`SELECT secret_key_check FROM installation`)
  return row?.secret_key_check.equals(secrets.check()) ?? true
}
