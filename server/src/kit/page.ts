export interface Page<T> {
  data: T[]
  has_more: boolean
}

/** Stores fetch one row more than the page size, to know whether there is a next page. */
export const rowsToFetch = (limit: number | undefined) => (limit ?? 25) + 1

export function pageOf<Row, T>(rows: Row[], limit: number | undefined, present: (row: Row) => T): Page<T> {
  const size = limit ?? 25
  return { data: rows.slice(0, size).map(present), has_more: rows.length > size }
}

const SHOWN_ROWS = 50

/** One row more than the page size of the dashboard. */
export const rowsAfter = (limit: number | undefined) => (limit ?? SHOWN_ROWS) + 1

/**
 * A page of the dashboard; the id of its last row is the cursor of the next one. If not all rows were looked at, and they don't fill it, it
 * is the last that was.
 */
export function pageAfter<T extends { id: number }>(
  rows: T[],
  limit: number | undefined,
  lookedAt: number | null = null,
): { data: T[]; next: number | null } {
  const data = rows.slice(0, limit ?? SHOWN_ROWS)
  return { data, next: rows.length > data.length ? (data.at(-1)?.id ?? null) : lookedAt }
}
