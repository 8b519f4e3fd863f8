/** CSV injection: no user-supplied text is run as a formula, whatever separator the spreadsheet uses. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvLine, exactCsvLine, unguarded } from './csv.ts'
import { parseCsv } from './parse-csv.ts'

const cell = (text: string) => csvLine([text]).trimEnd()
const isFormula = (text: string) => /^[\s"]*[=+\-@＝＋－＠]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text)

it.each([
  ['=1+1', "'=1+1"],
  ['+49', "'+49"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['  =1', "'  =1"],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1a', "'－1a"],
  ['＠x', "'＠x"],
  ['a;=1', `"a;'=1"`],
  ['a; +1', `"a;' +1"`],
  ['a\t=1', `"a\t'=1"`],
  ['a\n=1', `"a\n'=1"`],
  ['a;"=1"', `"a;'""=1"""`],
  ['\tx', `"'\tx"`],
])('%j is not a formula for any spreadsheet', (text, written) => {
  expect(cell(text)).toBe(written)
})

it.each(['-12.50', '0', '-3', 'a=b', 'jane@example.com', 'Smith-Jones', 'a; b', "O'Neil"])(
  '%j stays as it is',
  text => {
    expect(parseCsv(`x\n${cell(text)}\n`)[1]?.cells).toEqual([text])
  },
)

it('numbers stay numbers', () => {
  expect(csvLine([-5, '-5.00', null, 7])).toBe('-5,-5.00,,7\r\n')
})

it('removes invisible and bidirectional control characters', () => {
  expect(cell('a\u202ebc\u2028d\u200b')).toBe('abcd')
  expect(cell('\u200b=1')).toBe("'=1")
})

it('no cell starts with a formula, read with any separator', () => {
  const piece = fc.constantFrom(
    '=',
    '+',
    '-',
    '@',
    '＝',
    ';',
    ',',
    '\t',
    '\n',
    '\r',
    '"',
    "'",
    ' ',
    'a',
    '1',
    '.',
  )
  const text = fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join(''))
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), texts => {
      const line = csvLine(texts)
      for (const separator of [';', '\t'])
        for (const part of line.split(new RegExp(`[\\r\\n${separator}]`)).slice(1))
          expect(isFormula(part)).toBe(false)
      for (const each of parseCsv(`h${',h'.repeat(texts.length - 1)}\r\n${line}`)[1]?.cells ?? [])
        expect(isFormula(each)).toBe(false)
    }),
  )
})

it('what was written can be read back', () => {
  const piece = fc.constantFrom('=', '+', '-', '@', '＝', ';', ',', '\n', '"', "'", ' ', 'a', '1', '.')
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 12 }).map(pieces => `${pieces.join('')}z`),
      text => {
        const [, record] = parseCsv(`head,b\r\n${csvLine([text, 'b'])}`)
        expect(unguarded(record?.cells[0] as string)).toBe(text)
      },
    ),
  )
})

it('a file for programs keeps every character unchanged', () => {
  expect(exactCsvLine(['=1', '+a@example.com', 'a;b'])).toBe('=1,+a@example.com,"a;b"\r\n')
})

it('a long text takes no longer than its length', () => {
  for (const character of ['\n', ';', ' ', "'", '"']) {
    const text = character.repeat(200_000)
    expect(unguarded(csvLine([text])).length).toBeGreaterThanOrEqual(text.length)
  }
})
