import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export async function insertMagicLink(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  link: { tokenHash: Buffer; lifetimeSeconds: number },
): Promise<void> {
  await tx.many(sql`
    INSERT INTO magic_links (account_id, token_hash, affiliate_id, expires_at)
    VALUES (${accountId}, ${link.tokenHash}, ${affiliateId}, now() + make_interval(secs => ${link.lifetimeSeconds}))`)
}
