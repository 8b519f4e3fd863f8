import { expect, it } from 'vitest'
import { refusedAsCsv } from './refused-as-csv.ts'

it('keeps commas, quotes and line breaks within their cell', () => {
  expect(refusedAsCsv([{ line: 2, email: 'a"b', reason: 'is no address,\nor is empty' }])).toBe(
    'line,email,reason\r\n"2","a""b","is no address,\nor is empty"\r\n',
  )
})

it('is a head alone where nothing was refused', () => {
  expect(refusedAsCsv([])).toBe('line,email,reason\r\n')
})
