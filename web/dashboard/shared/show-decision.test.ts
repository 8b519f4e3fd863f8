import { expect, it } from 'vitest'
import { showDecision } from './show-decision.ts'

const rows = () => ({
  data: [
    { id: 1, status: 'pending' },
    { id: 2, status: 'pending' },
  ],
  next: 9,
})

it('shows the decision in an unfiltered list, and keeps the rest of it', () => {
  expect(showDecision(rows(), undefined, new Set([2]), 'approved')).toEqual({
    data: [
      { id: 1, status: 'pending' },
      { id: 2, status: 'approved' },
    ],
    next: 9,
  })
})

it('takes a row out of a list that is filtered by another status', () => {
  expect(showDecision(rows(), 'pending', new Set([2]), 'approved')).toEqual({
    data: [{ id: 1, status: 'pending' }],
    next: 9,
  })
})

it('keeps a row in a list that is filtered by the new status', () => {
  const before = { data: [{ id: 1, status: 'approved' }] }
  expect(showDecision(before, 'approved', new Set([1]), 'approved')).toEqual(before)
})

it('leaves alone rows that were not decided, even where they do not fit the filter', () => {
  expect(showDecision(rows(), 'approved', new Set([7]), 'approved')).toEqual(rows())
})

it('goes through every page of a list', () => {
  const pages = { pages: [rows(), { data: [{ id: 3, status: 'pending' }] }], pageParams: [null, 9] }
  expect(showDecision(pages, 'pending', new Set([1, 3]), 'rejected')).toEqual({
    pages: [{ data: [{ id: 2, status: 'pending' }], next: 9 }, { data: [] }],
    pageParams: [null, 9],
  })
})

it('shows it on the row’s own page, and on no other', () => {
  const page = { id: 1, status: 'pending', name: 'Ada' }
  expect(showDecision(page, undefined, new Set([1]), 'void')).toEqual({ ...page, status: 'void' })
  expect(showDecision(page, undefined, new Set([2]), 'void')).toBe(page)
})

it('has nothing to do where nothing is loaded yet', () => {
  expect(showDecision(undefined, undefined, new Set([1]), 'void')).toBeUndefined()
})

it('changes nothing in place', () => {
  const before = rows()
  showDecision(before, undefined, new Set([1, 2]), 'approved')
  expect(before).toEqual(rows())
})
