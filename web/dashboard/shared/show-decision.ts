interface Row {
  id: number
  status: string
}
interface Rows {
  data: Row[]
}
export type Shown = Row | Rows | { pages: Rows[] } | undefined

/**
 * A page or a list as it will look once the rows are decided. A row that the list's own status filter no longer lets through is
 * gone from it.
 */
export function showDecision(
  shown: Shown,
  filter: string | undefined,
  ids: ReadonlySet<number>,
  status: string,
): Shown {
  const inRows = <R extends Rows>(rows: R): R => ({
    ...rows,
    data: rows.data
      .map(row => (ids.has(row.id) ? { ...row, status } : row))
      .filter(row => !ids.has(row.id) || filter === undefined || filter === status),
  })
  if (!shown) return shown
  if ('pages' in shown) return { ...shown, pages: shown.pages.map(inRows) }
  if ('data' in shown) return inRows(shown)
  return ids.has(shown.id) ? { ...shown, status } : shown
}
