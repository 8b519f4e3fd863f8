interface Row {
  id: number
  status: string
}
interface Rows {
  data: Row[]
}
export type Shown = Row | Rows | { pages: Rows[] } | undefined

/**
 * The cached page or list with the decision applied optimistically. A row that no longer matches the list's status filter is
 * removed from it.
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
