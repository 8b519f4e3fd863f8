import { expect, it } from 'vitest'
import { skippedRowsCsv } from './skipped-rows-csv.ts'

it('keeps commas, quotes and line breaks within their cell', () => {
  expect(skippedRowsCsv([{ line: 2, email: 'a"b', reason: 'is no address,\nor is empty' }])).toBe(
    'line,email,reason\r\n"2","a""b","is no address,\nor is empty"\r\n',
  )
})

it('is the header alone when no row was skipped', () => {
  expect(skippedRowsCsv([])).toBe('line,email,reason\r\n')
})
