import sql, { join, type Sql } from 'sql-template-tag'

export { type Sql, sql }

/** The conditions that apply, joined by AND. Written `AND ${all(…)}`, so that a statement stays whole without any. */
export function all(...conditions: (Sql | undefined)[]): Sql {
  const given = conditions.filter(condition => condition !== undefined)
  return given.length > 0 ? join(given, ' AND ') : sql`true`
}

/** A condition for a filter that the caller may have left out. */
export const when = <T>(value: T | undefined, condition: (value: T) => Sql): Sql | undefined =>
  value === undefined ? undefined : condition(value)

/** The part of a list that is alike for every noun: where the page begins and what range of creation it covers. */
export const inRange = (
  id: Sql,
  createdAt: Sql,
  query: { starting_after?: number; created_after?: string; created_before?: string },
): (Sql | undefined)[] => [
  when(query.starting_after, after => sql`${id} < ${after}`),
  when(query.created_after, after => sql`${createdAt} > ${after}`),
  when(query.created_before, before => sql`${createdAt} < ${before}`),
]

/** A page of the dashboard, in either direction: where it begins, and its order. */
export const keyset = (id: Sql, query: { after?: number; order?: 'newest' | 'oldest' }) => {
  const isOldestFirst = query.order === 'oldest'
  return {
    from: when(query.after, after => (isOldestFirst ? sql`${id} > ${after}` : sql`${id} < ${after}`)),
    order: isOldestFirst ? sql`${id}` : sql`${id} DESC`,
  }
}
