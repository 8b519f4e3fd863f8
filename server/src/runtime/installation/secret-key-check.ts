import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { SecretBox } from '../../kit/secret-box.ts'

/** Whether this process holds the key that the database's secrets were sealed with. The first key seen is recorded. */
export async function hasMatchingSecretKey(db: Db, secrets: SecretBox): Promise<boolean> {
  const check = secrets.check()
  await db.many(sql`INSERT INTO installation (secret_key_check) VALUES (${check}) ON CONFLICT DO NOTHING`)
  const row = await db.first<{ secret_key_check: Buffer }>(sql`SELECT secret_key_check FROM installation`)
  return row?.secret_key_check.equals(check) ?? false
}
