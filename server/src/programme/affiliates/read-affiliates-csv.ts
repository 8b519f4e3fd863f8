import { emailPattern } from '@tributary/contract'
import { isOneLine, ONE_LINE_PROBLEM, withoutHidden } from '@tributary/contract/one-line'
import { unguarded } from '../../kit/csv.ts'
import { invalid } from '../../kit/domain-error.ts'
import { parseCsv } from '../../kit/parse-csv.ts'

const MOST_LINES = 5000
/** Bounds the work per row, including for columns that are ignored. */
const MOST_COLUMNS = 200

/** An affiliate as given in a row. */
export interface ImportedAffiliate {
  email: string
  name?: string
  token?: string
  coupon_code?: string
  paypal_email?: string
  tags?: string[]
}

/** A row that can be imported, or the reason why it can't. */
export type ImportedLine = { line: number; email: string } & (
  | { affiliate: ImportedAffiliate; reason?: undefined }
  | { affiliate?: undefined; reason: string }
)

const columns = ['email', 'name', 'token', 'coupon_code', 'paypal_email', 'tags'] as const
type Column = (typeof columns)[number]

const emailAddress = new RegExp(emailPattern, 'u')
const isEmail = (text: string) => text.length <= 254 && emailAddress.test(text)
const hasAtMost = (most: number) => (text: string) => [...text].length <= most

/** A cell can have several tags. */
const tagsIn = (text: string) =>
  text
    .split(/[;,|]/)
    .map(tag => tag.trim())
    .filter(tag => tag !== '')

const areTags = (text: string) => tagsIn(text).length <= 50 && tagsIn(text).every(hasAtMost(64))

/** The API's validation of the same fields, with messages for a row of a file. */
const rules: Record<Column, [test: (text: string) => boolean, problem: string]> = {
  email: [isEmail, 'must be an email address'],
  name: [hasAtMost(255), 'must have at most 255 characters'],
  token: [text => /^[A-Za-z0-9_-]{3,64}$/.test(text), 'must be 3 to 64 characters: A-Z, a-z, 0-9, _ and -'],
  coupon_code: [hasAtMost(64), 'must have at most 64 characters'],
  paypal_email: [isEmail, 'must be an email address'],
  tags: [areTags, 'must be at most 50 tags of at most 64 characters each'],
}

const isColumn = (name: string): name is Column => (columns as readonly string[]).includes(name)

/** "Coupon code" and "coupon_code" are the same column. */
const headingOf = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

/** Our own exports put an apostrophe before values that a spreadsheet would take for a formula; it is not part of the value. */
const cellValue = (text: string | undefined) => unguarded((text ?? '').trim())

function readLine(line: number, headings: string[], cells: string[]): ImportedLine {
  const given = headings.flatMap((heading, index) => {
    const value = cellValue(cells[index])
    return isColumn(heading) && value !== '' ? [[heading, value] as const] : []
  })
  const email = given.find(([column]) => column === 'email')?.[1] ?? ''
  if (email === '') return { line, email, reason: 'email is missing' }
  if (cells.length > headings.length) return { line, email, reason: 'has more cells than the header row' }
  const odd = given.find(([, value]) => !isOneLine(value))
  if (odd) return { line, email: withoutHidden(email), reason: `${odd[0]} ${ONE_LINE_PROBLEM}` }
  const wrong = given.find(([column, value]) => !rules[column][0](value))
  if (wrong) return { line, email, reason: `${wrong[0]} ${rules[wrong[0]][1]}: ${wrong[1].slice(0, 80)}` }
  const { tags, ...values } = Object.fromEntries(given) as Record<Column, string>
  return { line, email, affiliate: { ...values, ...(tags && { tags: tagsIn(tags) }) } }
}

/** Parses a CSV of affiliates. Its header row names the columns in any order; unknown columns are ignored and reported. */
export function readAffiliatesCsv(csv: string): { lines: ImportedLine[]; ignoredColumns: string[] } {
  const [first, ...records] = parseCsv(csv)
  if (first && first.cells.length > MOST_COLUMNS)
    throw invalid('csv', `has ${first.cells.length} columns; at most ${MOST_COLUMNS} are allowed`)
  const headings = first?.cells.map(headingOf) ?? []
  if (!headings.includes('email'))
    throw invalid('csv', `must start with a header row that includes email: ${columns.join(',')}`)
  const twice = headings.find((heading, index) => isColumn(heading) && headings.indexOf(heading) < index)
  if (twice !== undefined) throw invalid('csv', `has the column ${twice} twice`)
  if (records.length === 0) throw invalid('csv', 'has no rows below the header')
  if (records.length > MOST_LINES)
    throw invalid('csv', `has ${records.length} rows; at most ${MOST_LINES} can be imported at once`)
  return {
    lines: records.map(({ line, cells }) => readLine(line, headings, cells)),
    ignoredColumns: headings.filter(heading => heading !== '' && !isColumn(heading)),
  }
}
