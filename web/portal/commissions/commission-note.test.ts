import { pages } from '@tributary/contract/portal/texts'
import { expect, it } from 'vitest'
import { calendarDay } from '../../ui/format.ts'
import { relativeDay } from '../shared/relative-day.ts'
import { commissionNote } from './commission-note.ts'

const texts = pages.commissions
const commission = {
  in_review: false,
  is_reassigned: false,
  status: 'pending',
  hold_until: '2026-12-24T12:00:00Z',
  description: 'A thank-you',
  entry_type: 'earned',
} as const
const noteOf = (changes: object) => commissionNote({ ...commission, ...changes }, 'Pacific/Kiritimati')

it('says first why it is pending', () => {
  expect(noteOf({ in_review: true })).toBe(texts.inReview)
  expect(noteOf({})).toBe(
    texts.onHold(calendarDay('2026-12-25'), relativeDay(commission.hold_until, 'Pacific/Kiritimati')),
  )
})

it('says that it was taken back for someone else, whatever its status', () => {
  for (const status of ['void', 'approved'])
    expect(noteOf({ is_reassigned: true, in_review: true, status })).toBe(texts.reassigned)
})

it('shows the description once it is no longer pending', () => {
  expect(noteOf({ status: 'approved' })).toBe('A thank-you')
  expect(noteOf({ hold_until: null })).toBe('A thank-you')
})

it('explains a clawback that has no description', () => {
  const clawback = { status: 'approved', entry_type: 'clawback' }
  expect(noteOf({ ...clawback, description: null })).toBe(texts.clawback)
  expect(noteOf(clawback)).toBe('A thank-you')
  expect(noteOf({ status: 'approved', description: null })).toBeNull()
})
