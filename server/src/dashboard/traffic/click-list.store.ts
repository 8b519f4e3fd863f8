import type { DashboardQuery, ListedClick } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { all, inRange, keyset, keysetByTime, type Sql, sql, when } from '../../db/sql.ts'
import { adParameter } from '../../insight/ad-parameter.store.ts'
import { askedSource } from '../../insight/asked-source.ts'
import { clickSource, clickValue } from '../../insight/referral-source.store.ts'
import { containing } from '../../kit/like-pattern.ts'
import { rowsAfter } from '../../kit/page.ts'
import { type LookedThrough, lookedThrough, MOST_LOOKED_AT } from '../look-through.store.ts'

type Query = DashboardQuery<'listClicks'>
type Filters = DashboardQuery<'exportClicks'>

/** Conditions on the click `k`. */
const matching = (query: Filters): Sql =>
  all(
    ...inRange(sql`k.id`, sql`k.created_at`, query),
    when(query.is_counted, () => sql`NOT k.is_bot`),
    when(query.campaign_id, id => sql`k.campaign_id = ${id}`),
    when(query.affiliate_id, id => sql`k.affiliate_id = ${id}`),
    when(
      query.q?.trim() && containing(query.q.trim()),
      pattern => sql`(k.landing_url ILIKE ${pattern} OR k.referrer ILIKE ${pattern})`,
    ),
    when(askedSource(query), ({ dimension, value }) => sql`${clickValue(dimension)} = ${value}`),
  )

/** Only the partitions of the months that the requested days are in. */
const inMonths = (query: Filters): Sql =>
  all(
    when(
      query.created_after,
      at => sql`k.created_at >= date_trunc('month', ${at}::timestamptz + interval '1 millisecond', 'UTC')`,
    ),
    when(
      query.created_before,
      at => sql`k.created_at < (date_trunc('month', (${at}::timestamptz - interval '1 microsecond') AT TIME ZONE 'UTC')
                                + interval '1 month') AT TIME ZONE 'UTC'`,
    ),
  )

/**
 * Those of an affiliate by their time, which has an index. No index has all clicks in that order: without an affiliate they are read by id,
 * with the other days of their months. A click that has expired since it was the cursor counts as older than all.
 */
function reading(accountId: number, query: Query): { condition: Sql; order: Sql } {
  const { affiliate_id } = query
  const { from, order } =
    affiliate_id === undefined
      ? keyset(sql`k.id`, query)
      : keysetByTime(
          sql`k.created_at`,
          sql`k.id`,
          id =>
            sql`coalesce((SELECT c.created_at FROM clicks c WHERE c.account_id = ${accountId} AND c.id = ${id}), '-infinity')`,
          query,
        )
  const condition =
    affiliate_id === undefined
      ? inMonths(query)
      : all(sql`k.affiliate_id = ${affiliate_id}`, ...inRange(sql`k.id`, sql`k.created_at`, query))
  return { condition: all(condition, from), order }
}

/** The clicks for a page of the list. */
export function lookForClicks(db: Db, accountId: number, query: Query): Promise<LookedThrough | undefined> {
  const { condition, order } = reading(accountId, query)
  return db.first(sql`
    WITH looked_at AS MATERIALIZED (
      SELECT k.id, k.campaign_id, k.affiliate_id, k.is_bot, k.landing_url, k.referrer, k.user_agent, k.country, k.created_at FROM clicks k
       WHERE k.account_id = ${accountId} AND ${condition} ORDER BY ${order} LIMIT ${MOST_LOOKED_AT}
    ), wanted AS (
      SELECT k.id FROM looked_at k WHERE ${matching(query)} ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}
    )
    SELECT ${lookedThrough()}`)
}

const shown: Sql = sql`
  k.id, k.created_at, k.is_bot, a.name AS affiliate_name, a.email AS affiliate_email, g.name AS campaign_name, ${clickSource},
  ${adParameter} AS ad`

export function listClicks(db: Db, accountId: number, query: Query, ids: number[]): Promise<ListedClick[]> {
  const { order } = reading(accountId, query)
  return db.many(sql`
    SELECT ${shown}
      FROM clicks k
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = k.affiliate_id
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = k.campaign_id
     WHERE k.account_id = ${accountId} AND k.id = ANY (${ids}::bigint[]) ORDER BY ${order}`)
}

/** All of them, newest first. */
export function streamClicks(tx: Tx, accountId: number, query: Filters): AsyncGenerator<ListedClick[]> {
  const { order } = reading(accountId, query)
  return tx.stream(sql`
    SELECT ${shown}
      FROM clicks k
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = k.affiliate_id
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = k.campaign_id
     WHERE k.account_id = ${accountId} AND ${all(inMonths(query), matching(query))} ORDER BY ${order}`)
}
