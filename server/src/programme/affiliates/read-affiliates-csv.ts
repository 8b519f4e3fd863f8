import { emailPattern } from '@tributary/contract'
import { isOneLine, ONE_LINE_PROBLEM, withoutHidden } from '@tributary/contract/one-line'
import { unguarded } from '../../kit/csv.ts'
import { invalid } from '../../kit/domain-error.ts'
import { parseCsv } from '../../kit/parse-csv.ts'

const MOST_LINES = 5000
/** Every line is read column by column, so a heading costs as much as all lines. */
const MOST_COLUMNS = 200

/** What a line of the file says of an affiliate. */
export interface ImportedAffiliate {
  email: string
  name?: string
  token?: string
  coupon_code?: string
  paypal_email?: string
  tags?: string[]
}

/** A line that can be imported, or why it cannot. */
export type ImportedLine = { line: number; email: string } & (
  | { affiliate: ImportedAffiliate; reason?: undefined }
  | { affiliate?: undefined; reason: string }
)

const columns = ['email', 'name', 'token', 'coupon_code', 'paypal_email', 'tags'] as const
type Column = (typeof columns)[number]

const emailAddress = new RegExp(emailPattern, 'u')
const isEmail = (text: string) => text.length <= 254 && emailAddress.test(text)
const hasAtMost = (most: number) => (text: string) => [...text].length <= most

/** Several tags stand in one cell. */
const tagsIn = (text: string) =>
  text
    .split(/[;,|]/)
    .map(tag => tag.trim())
    .filter(tag => tag !== '')

const areTags = (text: string) => tagsIn(text).length <= 50 && tagsIn(text).every(hasAtMost(64))

/** What the API asks of the same fields, in words for who looks at a line of a file. */
const rules: Record<Column, [test: (text: string) => boolean, problem: string]> = {
  email: [isEmail, 'is not an email address'],
  name: [hasAtMost(255), 'has more than 255 characters'],
  token: [text => /^[A-Za-z0-9_-]{3,64}$/.test(text), 'must be 3 to 64 of A-Z, a-z, 0-9, _ and -'],
  coupon_code: [hasAtMost(64), 'has more than 64 characters'],
  paypal_email: [isEmail, 'is not an email address'],
  tags: [areTags, 'must be at most 50, each with at most 64 characters'],
}

const isColumn = (name: string): name is Column => (columns as readonly string[]).includes(name)

/** "Coupon code" and "coupon_code" are the same heading. */
const headingOf = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

/** Our own files put an apostrophe before what a spreadsheet would take for a formula; it is no part of the value. */
const cellValue = (text: string | undefined) => unguarded((text ?? '').trim())

function readLine(line: number, headings: string[], cells: string[]): ImportedLine {
  const given = headings.flatMap((heading, index) => {
    const value = cellValue(cells[index])
    return isColumn(heading) && value !== '' ? [[heading, value] as const] : []
  })
  const email = given.find(([column]) => column === 'email')?.[1] ?? ''
  if (email === '') return { line, email, reason: 'email is missing' }
  if (cells.length > headings.length) return { line, email, reason: 'has more cells than the first line' }
  const odd = given.find(([, value]) => !isOneLine(value))
  if (odd) return { line, email: withoutHidden(email), reason: `${odd[0]} ${ONE_LINE_PROBLEM}` }
  const wrong = given.find(([column, value]) => !rules[column][0](value))
  if (wrong) return { line, email, reason: `${wrong[0]} ${rules[wrong[0]][1]}: ${wrong[1].slice(0, 80)}` }
  const { tags, ...values } = Object.fromEntries(given) as Record<Column, string>
  return { line, email, affiliate: { ...values, ...(tags && { tags: tagsIn(tags) }) } }
}

/** Reads a file of affiliates. Its first line names the columns, in any order; those that are not known are told, and left out. */
export function readAffiliatesCsv(csv: string): { lines: ImportedLine[]; ignoredColumns: string[] } {
  const [first, ...records] = parseCsv(csv)
  if (first && first.cells.length > MOST_COLUMNS)
    throw invalid('csv', `has ${first.cells.length} columns; at most ${MOST_COLUMNS} are read`)
  const headings = first?.cells.map(headingOf) ?? []
  if (!headings.includes('email'))
    throw invalid(
      'csv',
      `must begin with a line that names its columns, email among them: ${columns.join(',')}`,
    )
  const twice = headings.find((heading, index) => isColumn(heading) && headings.indexOf(heading) < index)
  if (twice !== undefined) throw invalid('csv', `names the column ${twice} twice`)
  if (records.length === 0) throw invalid('csv', 'has no lines below its headings')
  if (records.length > MOST_LINES)
    throw invalid('csv', `has ${records.length} lines; at most ${MOST_LINES} can be imported at once`)
  return {
    lines: records.map(({ line, cells }) => readLine(line, headings, cells)),
    ignoredColumns: headings.filter(heading => heading !== '' && !isColumn(heading)),
  }
}
