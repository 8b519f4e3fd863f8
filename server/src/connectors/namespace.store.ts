import { type Sql, sql } from '../db/sql.ts'

/**
 * A SQL condition: whether a connector is of the same namespace as a given one, also if it was removed: what one of them has said, all of
 * them know. The IDs in a namespace are unique: the provider's are, and of systems that number their orders, each has its name.
 */
export const isOfNamespace = (
  column: Sql,
  accountId: number,
  connectorId: number,
): Sql => sql`${column} = ANY (ARRAY(
  SELECT o.id FROM connectors k
    JOIN connectors o ON o.account_id = ${accountId} AND o.provider = k.provider AND o.name IS NOT DISTINCT FROM k.name
   WHERE k.account_id = ${accountId} AND k.id = ${connectorId}))`
