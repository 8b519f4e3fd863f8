import { csvLine } from './csv.ts'

/** A list as a file, read by the same pages that the dashboard shows, one at a time. */
export async function* pagedCsv<Row>(
  columns: string[],
  cells: (row: Row) => (string | number | null)[],
  pageAfter: (after: number | undefined) => Promise<{ data: Row[]; next: number | null }>,
): AsyncGenerator<string> {
  yield csvLine(columns)
  for (let after: number | undefined, isLast = false; !isLast; ) {
    const { data, next } = await pageAfter(after)
    yield data.map(row => csvLine(cells(row))).join('')
    isLast = next === null
    after = next ?? undefined
  }
}

/** Rows that one page of a file holds. */
export const FILE_PAGE_ROWS = 200
