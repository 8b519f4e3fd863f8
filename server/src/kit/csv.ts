import { withoutHidden } from '@tributary/contract/one-line'

type Cell = string | number | null

/** A cell as RFC 4180 writes it; half of Europe's spreadsheets separate by semicolons, and some by tabs. */
const quoted = (text: string) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/**
 * What a spreadsheet takes for the beginning of a formula, also in the wide letters of East Asia, behind some spaces and
 * quotes: without an end to them, a text of line breaks would take the square of its length.
 */
const FORMULA = String.raw`[\s'"]{0,64}[=+\-@＝＋－＠]`
/** Where a cell begins: a file that is read with another separator than ours has beginnings in the middle of our cells. */
const BEGINNING = '(?<=^|[;\\t\\r\\n])'
const formulas = new RegExp(`${BEGINNING}(?=${FORMULA})`, 'g')
const guards = new RegExp(`${BEGINNING}'(?=${FORMULA})`, 'g')
const isNumber = (text: string) => /^-?\d+(\.\d+)?$/.test(text)

/** Text that a spreadsheet would take for a formula gets an apostrophe, so that it stays text. A number stays a number. */
function guarded(text: string): string {
  if (isNumber(text)) return text
  const safe = text.replace(formulas, "'")
  return /^[\t\r]/.test(safe) ? `'${safe}` : safe
}

/** Takes the apostrophes away again, where somebody brings a file of ours back. */
export const unguarded = (text: string): string => text.replace(guards, '')

const forPeople = (value: Cell): string =>
  value === null ? '' : typeof value === 'number' ? String(value) : quoted(guarded(withoutHidden(value)))

/** A line of a file that people open. */
export const csvLine = (cells: Cell[]): string => `${cells.map(forPeople).join(',')}\r\n`

/** A line of a file that another program reads: every character counts, and none is added. */
export const exactCsvLine = (cells: Cell[]): string =>
  `${cells.map(cell => quoted(String(cell ?? ''))).join(',')}\r\n`
