import { describe, expect, it } from 'vitest'
import { csvLine } from './csv.ts'
import { parseCsv } from './parse-csv.ts'

const cellsOf = (text: string) => parseCsv(text).map(({ cells }) => cells)

it.each([
  [
    'a,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\r1,2\r',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\n"1,5","say ""hi"""',
    [
      ['a', 'b'],
      ['1,5', 'say "hi"'],
    ],
  ],
  [
    'a,b\n"one\r\ntwo",2',
    [
      ['a', 'b'],
      ['one\r\ntwo', '2'],
    ],
  ],
  [
    'a,b\n,\n\n  \n1,',
    [
      ['a', 'b'],
      ['1', ''],
    ],
  ],
  [
    'a;b\n1,5;2',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  [
    'a\tb\n1,5\t2',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  [
    '\uFEFFa,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['a\n5" pipe', [['a'], ['5" pipe']]],
  ['a\n""', [['a']]],
  ['', []],
])('reads %j', (text, expected) => expect(cellsOf(text)).toEqual(expected))

it('numbers records by the line on which they begin', () => {
  expect(parseCsv('a\r\n"1\r\n2\n3"\r\n\r\nz').map(({ line }) => line)).toEqual([1, 2, 6])
})

it('reads back what csvLine writes', () => {
  const cells = ['plain', 'a,b', 'say "hi"', 'two\nlines', ' spaces ', 'Größe', '12.50']
  expect(cellsOf(csvLine(cells) + csvLine(cells))).toEqual([cells, cells])
})

describe('refuses', () => {
  it.each([
    ['a,b\n1,"2', 2],
    ['a\n1\n"x"y\n', 3],
    ['"', 1],
  ])('%j by its line', (text, line) => {
    expect(() => parseCsv(text)).toThrow(`on line ${line} `)
  })
})

it('takes a file of megabytes in its stride', () => {
  const text = `a,b\n${'"x ""y"" z",plain text\n'.repeat(100_000)}"${'quoted '.repeat(300_000)}",end`
  // Looking at what was read again and again would take minutes.
  const before = performance.now()
  expect(parseCsv(text)).toHaveLength(100_002)
  expect(performance.now() - before).toBeLessThan(20_000)
})
