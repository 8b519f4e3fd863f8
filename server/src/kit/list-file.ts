import type { CsvFile } from '@tributary/contract/dashboard'
import { csvLine } from './csv.ts'

const PAGE_ROWS = 200

type ReadPage<Row> = (page: {
  limit: number
  after?: number
}) => Promise<{ data: Row[]; next?: number | null }>

/** A list as a file, read a page at a time by what the dashboard shows it with. */
export const listFile = <Row extends object>(
  name: string,
  columns: (keyof Row & string)[],
  readPage: ReadPage<Row>,
): CsvFile => ({ name, pages: linesOf(columns, readPage) })

async function* linesOf<Row extends object>(
  columns: (keyof Row & string)[],
  readPage: ReadPage<Row>,
): AsyncGenerator<string> {
  yield csvLine(columns)
  let after: number | null | undefined
  do {
    const { data, next } = await readPage({ limit: PAGE_ROWS, ...(after && { after }) })
    yield data.map(row => csvLine(columns.map(column => cellOf(row[column])))).join('')
    after = next
  } while (after)
}

/** What is more than a few words stands in its cell as JSON, so that nothing of the list is missing in the file. */
function cellOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'string') return value
  if (Array.isArray(value) && value.every(each => typeof each === 'string')) return value.join('; ')
  return JSON.stringify(value)
}
