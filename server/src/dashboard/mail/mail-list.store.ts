import type { DashboardQuery, MailSummary } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { all, keyset, type Sql, sql, when } from '../../db/sql.ts'
import { containing } from '../../kit/like-pattern.ts'
import { rowsAfter } from '../../kit/page.ts'
import { type LookedThrough, lookedThrough, MOST_LOOKED_AT } from '../look-through.store.ts'

type Query = DashboardQuery<'listMails'>

/** Conditions on the email `m`. */
const matching = (query: Query): Sql =>
  all(
    when(query.status, status => sql`m.status = ${status}`),
    when(
      query.q?.trim() && containing(query.q.trim()),
      pattern => sql`(m.to_address ILIKE ${pattern} OR m.subject ILIKE ${pattern})`,
    ),
  )

/** The emails for a page of the list. */
export function lookForMails(db: Db, accountId: number, query: Query): Promise<LookedThrough | undefined> {
  const { from, order } = keyset(sql`m.id`, query)
  return db.first(sql`
    WITH looked_at AS MATERIALIZED (
      SELECT m.id, m.to_address, m.subject, m.status FROM mails m
       WHERE m.account_id = ${accountId} AND ${all(from)} ORDER BY ${order} LIMIT ${MOST_LOOKED_AT}
    ), wanted AS (
      SELECT m.id FROM looked_at m WHERE ${matching(query)} ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}
    )
    SELECT ${lookedThrough()}`)
}

export function listMails(db: Db, accountId: number, query: Query, ids: number[]): Promise<MailSummary[]> {
  const { order } = keyset(sql`m.id`, query)
  return db.many(sql`
    SELECT m.id, m.kind, m.to_address, m.subject, m.status, m.problem, m.created_at, m.sent_at
      FROM mails m WHERE m.account_id = ${accountId} AND m.id = ANY (${ids}::bigint[]) ORDER BY ${order}`)
}
