import type { Db, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'

/** The id of the affiliate with a token. Old tokens are looked up only if no affiliate has it now, so that a current one costs no more. */
export const affiliateOfToken = (accountId: Sql | number, token: Sql | string): Sql => sql`coalesce(
  (SELECT x.id FROM affiliates x WHERE x.account_id = ${accountId} AND x.token = ${token}),
  (SELECT t.affiliate_id FROM token_aliases t WHERE t.account_id = ${accountId} AND t.token = ${token}))`

/** Keeps a replaced token as an alias. A token that is the affiliate's own alias becomes current again. */
export async function keepAsAlias(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.many(sql`
    DELETE FROM token_aliases t WHERE t.account_id = ${accountId} AND t.token = ${to} AND t.affiliate_id = ${affiliateId}`)
  await tx.many(sql`
    INSERT INTO token_aliases (account_id, token, affiliate_id) VALUES (${accountId}, ${from}, ${affiliateId})
    ON CONFLICT DO NOTHING`)
}

/**
 * Which of these tokens are aliases. Called after the tokens were written to their affiliates: a concurrent change that turns one into an
 * alias holds its entry in the unique index until it commits, so the write waited for it and this statement sees the alias.
 */
export async function findAliases(tx: Tx, accountId: number, tokens: string[]): Promise<string[]> {
  const rows = await tx.many<{ token: string }>(sql`
    SELECT t.token FROM token_aliases t WHERE t.account_id = ${accountId} AND t.token = ANY (${tokens}::text[])`)
  return rows.map(({ token }) => token)
}

export async function listAliases(db: Db, accountId: number, affiliateId: number): Promise<string[]> {
  const rows = await db.many<{ token: string }>(sql`
    SELECT t.token FROM token_aliases t
     WHERE t.account_id = ${accountId} AND t.affiliate_id = ${affiliateId} ORDER BY t.token LIMIT 100`)
  return rows.map(({ token }) => token)
}
