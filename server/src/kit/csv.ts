type Cell = string | number | null

/** A cell as RFC 4180 writes it. */
const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Text that a spreadsheet would take for a formula gets an apostrophe, so that it stays text. */
function forPeople(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  return quoted(/^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value)
}

/** A line of a file that people open. */
export const csvLine = (cells: Cell[]): string => `${cells.map(forPeople).join(',')}\r\n`

/** A line of a file that another program reads: every character counts, and none is added. */
export const exactCsvLine = (cells: Cell[]): string =>
  `${cells.map(cell => quoted(String(cell ?? ''))).join(',')}\r\n`
