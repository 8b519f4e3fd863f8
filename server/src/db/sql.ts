import sql, { join, type Sql } from 'sql-template-tag'

export { type Sql, sql }

/** Rows as one parameter, for `json_to_recordset`. Half of a surrogate pair is replaced, as in any other parameter. */
export const asJson = (rows: object[]): Sql =>
  sql`${JSON.stringify(rows, (_, value) => (typeof value === 'string' ? value.toWellFormed() : value))}::json`

/** The defined conditions joined by AND, or `true` without any, so that `AND ${all(…)}` is always valid. */
export function all(...conditions: (Sql | undefined)[]): Sql {
  const given = conditions.filter(condition => condition !== undefined)
  return given.length > 0 ? join(given, ' AND ') : sql`true`
}

/** A condition for an optional filter. */
export const when = <T>(value: T | undefined, condition: (value: T) => Sql): Sql | undefined =>
  value === undefined ? undefined : condition(value)

/** The filters every list has: the cursor and the range of creation times. */
export const inRange = (
  id: Sql,
  createdAt: Sql,
  query: { starting_after?: number; created_after?: string; created_before?: string },
): (Sql | undefined)[] => [
  when(query.starting_after, after => sql`${id} < ${after}`),
  when(query.created_after, after => sql`${createdAt} > ${after}`),
  when(query.created_before, before => sql`${createdAt} < ${before}`),
]

/** Keyset pagination for the dashboard, in either direction. */
export const keyset = (id: Sql, query: { after?: number; order?: 'newest' | 'oldest' }) => {
  const isOldestFirst = query.order === 'oldest'
  return {
    from: when(query.after, after => (isOldestFirst ? sql`${id} > ${after}` : sql`${id} < ${after}`)),
    order: isOldestFirst ? sql`${id}` : sql`${id} DESC`,
  }
}

/** The same by time, then id. `timeOf` is the time of the row that is the cursor. */
export const keysetByTime = (
  time: Sql,
  id: Sql,
  timeOf: (cursor: number) => Sql,
  query: { after?: number; order?: 'newest' | 'oldest' },
) => {
  const isOldestFirst = query.order === 'oldest'
  return {
    from: when(query.after, after =>
      isOldestFirst
        ? sql`${time} >= ${timeOf(after)} AND (${time} > ${timeOf(after)} OR ${id} > ${after})`
        : sql`${time} <= ${timeOf(after)} AND (${time} < ${timeOf(after)} OR ${id} < ${after})`,
    ),
    order: isOldestFirst ? sql`${time}, ${id}` : sql`${time} DESC, ${id} DESC`,
  }
}
