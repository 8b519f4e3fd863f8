import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/** How an affiliate is named; undefined if they aren't. Without a nickname, by their name. */
export function findLeaderboardName(
  db: Db,
  accountId: number,
  affiliateId: number,
): Promise<{ nickname: string | null } | undefined> {
  return db.first(sql`
    SELECT n.nickname FROM leaderboard_names n WHERE n.account_id = ${accountId} AND n.affiliate_id = ${affiliateId}`)
}

export async function saveLeaderboardName(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  nickname: string | null,
): Promise<void> {
  await tx.many(sql`
    INSERT INTO leaderboard_names (account_id, affiliate_id, nickname) VALUES (${accountId}, ${affiliateId}, ${nickname})
    ON CONFLICT (account_id, affiliate_id) DO UPDATE SET nickname = excluded.nickname`)
}

export async function deleteLeaderboardName(tx: Tx, accountId: number, affiliateId: number): Promise<void> {
  await tx.many(sql`
    DELETE FROM leaderboard_names n WHERE n.account_id = ${accountId} AND n.affiliate_id = ${affiliateId}`)
}
