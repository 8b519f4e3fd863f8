import { withoutHidden } from '@tributary/contract/one-line'

type Cell = string | number | null

/** Quotes a cell by RFC 4180, also for spreadsheets that separate by semicolons or tabs. */
const quoted = (text: string) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/**
 * The start of a formula as spreadsheets see it, including full-width characters, after spaces and quotes. Their number is bounded,
 * because a text of line breaks would otherwise take quadratic time.
 */
const FORMULA = String.raw`[\s'"]{0,64}[=+\-@＝＋－＠]`
/** The start of a cell: with another separator, cells may start in the middle of ours. */
const BEGINNING = '(?<=^|[;\\t\\r\\n])'
const formulas = new RegExp(`${BEGINNING}(?=${FORMULA})`, 'g')
const guards = new RegExp(`${BEGINNING}'(?=${FORMULA})`, 'g')
const isNumber = (text: string) => /^-?\d+(\.\d+)?$/.test(text)

/** Prefixes text that a spreadsheet would run as a formula with an apostrophe. Numbers stay numbers. */
function guarded(text: string): string {
  if (isNumber(text)) return text
  const safe = text.replace(formulas, "'")
  return /^[\t\r]/.test(safe) ? `'${safe}` : safe
}

/** Removes the apostrophes when one of our files is imported again. */
export const unguarded = (text: string): string => text.replace(guards, '')

const forPeople = (value: Cell): string =>
  value === null ? '' : typeof value === 'number' ? String(value) : quoted(guarded(withoutHidden(value)))

/** A line of a file for people, with formulas guarded. */
export const csvLine = (cells: Cell[]): string => `${cells.map(forPeople).join(',')}\r\n`

/** A line of a file for programs, with every character unchanged. */
export const exactCsvLine = (cells: Cell[]): string =>
  `${cells.map(cell => quoted(String(cell ?? ''))).join(',')}\r\n`
