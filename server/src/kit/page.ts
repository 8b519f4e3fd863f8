export interface Page<T> {
  data: T[]
  has_more: boolean
}

/** Rows of a page, if the caller asks for no number. */
export const DEFAULT_LIMIT = 25

/** Stores fetch one row more than the page size, to know whether there is a next page. */
export const rowsToFetch = (limit: number | undefined) => (limit ?? DEFAULT_LIMIT) + 1

export function pageOf<Row, T>(rows: Row[], limit: number | undefined, present: (row: Row) => T): Page<T> {
  const size = limit ?? DEFAULT_LIMIT
  return { data: rows.slice(0, size).map(present), has_more: rows.length > size }
}

const SHOWN_ROWS = 50

/** One row more than the page size of the dashboard. */
export const rowsAfter = (limit: number | undefined) => (limit ?? SHOWN_ROWS) + 1

/** A page of the dashboard; the id of its last row is the cursor of the next one. */
export function pageAfter<T extends { id: number }>(
  rows: T[],
  limit: number | undefined,
): { data: T[]; next: number | null } {
  const data = rows.slice(0, limit ?? SHOWN_ROWS)
  return { data, next: rows.length > data.length ? (data.at(-1)?.id ?? null) : null }
}

/**
 * The ids of a page that was looked for, and the cursor of the next one: the last of them, or if they don't fill the page, the last row that
 * was looked at. The rows are read afterwards, and if one is gone by then, the list goes on all the same.
 */
export function idsOfPage(
  looked: { ids: number[]; next: number | null } | undefined,
  limit: number | undefined,
): { ids: number[]; next: number | null } {
  const found = looked?.ids ?? []
  const ids = found.slice(0, limit ?? SHOWN_ROWS)
  return { ids, next: (found.length > ids.length ? ids.at(-1) : looked?.next) ?? null }
}
