import { type Sql, sql } from '../db/sql.ts'
import { rowsAfter } from '../kit/page.ts'

/**
 * Of a source that hardly any row has, a list would read all of them: no index serves it. So a request looks at a bounded number of rows, and
 * the next page goes on where it stopped, whether anything was found or not.
 */
export const MOST_LOOKED_AT = 5000

/**
 * How many rows a request looks at, and reads of each match of a search: a page at least. A page is complete, because the first rows of all are among
 * the first ones of each.
 */
export const mostLookedAt = (limit: number | undefined, matches = 1): number =>
  Math.max(Math.floor(MOST_LOOKED_AT / Math.max(matches, 1)), rowsAfter(limit))

/** The rows that were found for a page, and the last one that was looked at, if there may be more after it. */
export interface LookedThrough {
  ids: number[]
  next: number | null
}

/** Its columns, after the WITH queries `looked_at`, at most `most` rows in the order of the list, and `wanted`, those of them that were found. */
export const lookedThrough = (most = MOST_LOOKED_AT): Sql => sql`
  coalesce((SELECT json_agg(w.id) FROM wanted w), '[]') AS ids, (SELECT l.id FROM looked_at l OFFSET ${most - 1}) AS next`
