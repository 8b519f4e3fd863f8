import { expect, it } from 'vitest'
import { idsOfPage, pageOf, rowsToFetch } from './page.ts'

const rows = (count: number) => Array.from({ length: count }, (_, index) => index)

it.each([
  [undefined, 0, 0, false],
  [undefined, 25, 25, false],
  [undefined, 26, 25, true],
  [1, 1, 1, false],
  [1, 2, 1, true],
  [100, 100, 100, false],
  [100, 101, 100, true],
])('a limit of %s and %i fetched rows show %i, more: %s', (limit, fetched, shown, more) => {
  const page = pageOf(rows(fetched), limit, row => ({ row }))
  expect(page).toEqual({ data: rows(shown).map(row => ({ row })), has_more: more })
})

it('one row more than the page holds is fetched', () => {
  expect([undefined, 1, 100].map(rowsToFetch)).toEqual([26, 2, 101])
})

it.each([
  ['more were found than it holds', [5, 4, 3], 1, { ids: [5, 4], next: 4 }],
  ['not all rows were looked at', [5, 4], 1, { ids: [5, 4], next: 1 }],
  ['nothing is left', [5, 4], null, { ids: [5, 4], next: null }],
])('the next page of ids if %s', (_, ids, next, page) => {
  expect(idsOfPage({ ids, next }, 2)).toEqual(page)
})
