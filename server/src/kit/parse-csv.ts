import { invalid } from './domain-error.ts'

/** A record and the line on which it starts: a quoted cell may span several. */
export interface CsvRecord {
  line: number
  cells: string[]
}

/** Detects the delimiter from the first line: spreadsheets also use semicolons in many locales, and paste tabs. */
function delimiterOf(text: string): string {
  const firstLine = /^[^\r\n]*/.exec(text)?.[0] ?? ''
  const found = [',', ';', '\t'].map(delimiter => ({ delimiter, cells: firstLine.split(delimiter).length }))
  return found.reduce((best, each) => (each.cells > best.cells ? each : best)).delimiter
}

const countLines = (text: string) => text.match(/\r\n|\r|\n/g)?.length ?? 0

/**
 * Parses CSV by RFC 4180: a quoted cell may contain delimiters, line breaks and doubled quotes. Empty lines are skipped. A cell with an
 * unterminated quote is rejected with its line, because everything after it would be misread.
 */
export function parseCsv(file: string): CsvRecord[] {
  const text = file.replace(/^\uFEFF/, '')
  const delimiter = delimiterOf(text)
  const cell = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|(?!")([^${delimiter}\\r\\n]*))(${delimiter}|\\r\\n?|\\n|$)`,
    'y',
  )
  const records: CsvRecord[] = []
  let record: CsvRecord = { line: 1, cells: [] }
  let line = 1
  for (;;) {
    const found = cell.exec(text)
    if (!found)
      throw invalid('csv', `has a quote on line ${line} that is never closed, or goes on after it is closed`)
    const [whole, quoted, plain, end] = found as unknown as [string, string | undefined, string, string]
    record.cells.push(quoted?.replaceAll('""', '"') ?? plain)
    line += countLines(whole)
    if (end === delimiter) continue
    if (record.cells.some(text => text.trim() !== '')) records.push(record)
    if (end === '') return records
    record = { line, cells: [] }
  }
}
