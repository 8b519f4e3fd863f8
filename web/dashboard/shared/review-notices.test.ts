import { expect, it } from 'vitest'
import { reviewNotices } from './review-notices.ts'

const refusal = (id: number) => ({ id, code: 'conflict', message: `It is paid.` }) as never

it('counts the changed rows', () => {
  expect(reviewNotices({ done: 1, refused: [] }, 'referral', 'rejected')).toEqual([
    { message: '1 referral rejected', color: 'teal' },
  ])
  expect(reviewNotices({ done: 2, refused: [] }, 'commission', 'void')).toMatchObject([
    { message: '2 commissions voided' },
  ])
})

it('explains the first three refusals', () => {
  const [done, refused] = reviewNotices(
    { done: 5, refused: [1, 2, 3, 4, 5].map(refusal) },
    'commission',
    'approved',
  )
  expect(done?.message).toBe('5 commissions approved')
  expect(refused).toMatchObject({
    title: '5 commissions not approved',
    message: '1: It is paid. 2: It is paid. 3: It is paid. And 2 more.',
  })
})

it('leaves out what did not happen', () => {
  expect(reviewNotices({ done: 0, refused: [] }, 'affiliate', 'approved')).toEqual([])
  expect(reviewNotices({ done: 0, refused: [refusal(9)] }, 'affiliate', 'approved')).toMatchObject([
    { title: '1 affiliate not approved', message: '9: It is paid.' },
  ])
})
