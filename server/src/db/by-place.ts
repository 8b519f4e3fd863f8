/** The rows of each item, in the order of the items. `place` counts them from 1, as WITH ORDINALITY does. */
export function byPlace<Row>(rows: (Row & { place: number })[], items: unknown[]): Row[][] {
  const found: Row[][] = items.map(() => [])
  for (const row of rows) found[row.place - 1]?.push(row)
  return found
}
