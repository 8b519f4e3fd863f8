export interface Page<T> {
  data: T[]
  has_more: boolean
}

/** Stores fetch one row more than the page holds: whether it came tells whether more follow. */
export const rowsToFetch = (limit: number | undefined) => (limit ?? 25) + 1

export function pageOf<Row, T>(rows: Row[], limit: number | undefined, present: (row: Row) => T): Page<T> {
  const size = limit ?? 25
  return { data: rows.slice(0, size).map(present), has_more: rows.length > size }
}
