import type { CsvFile } from '@tributary/contract/dashboard'
import { csvLine } from './csv.ts'

const PAGE_ROWS = 200

type ReadPage<Row> = (page: {
  limit: number
  after?: number
}) => Promise<{ data: Row[]; next?: number | null }>

/** A list as a CSV file, read page by page through the dashboard's own query. */
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

/** Structured values become JSON in their cell, so that the file is complete. */
function cellOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'string') return value
  if (Array.isArray(value) && value.every(each => typeof each === 'string')) return value.join('; ')
  return JSON.stringify(value)
}
