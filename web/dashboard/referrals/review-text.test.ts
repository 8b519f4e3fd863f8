import { expect, it } from 'vitest'
import { money } from '../../ui/format.ts'
import { earnedText } from './review-text.ts'

const rows = [
  {
    commissions: [
      { status: 'pending', currency: 'USD', amount_minor: 1000 },
      { status: 'paid', currency: 'USD', amount_minor: 400 },
    ],
  },
  {
    commissions: [
      { status: 'pending', currency: 'USD', amount_minor: 234 },
      { status: 'pending', currency: 'KWD', amount_minor: 5 },
      { status: 'void', currency: 'EUR', amount_minor: 99 },
    ],
  },
] as never

it('adds up the commissions in these statuses, per currency', () => {
  expect(earnedText(rows, ['pending'])).toBe(`${money(1234, 'USD')} and ${money(5, 'KWD')}`)
  expect(earnedText(rows, ['approved', 'paid'])).toBe(money(400, 'USD'))
})

it('is null without commissions, or when refunds cancel them out', () => {
  expect(earnedText(rows, ['approved'])).toBeNull()
  const commissions = [10, -10].map(amount_minor => ({ status: 'pending', currency: 'USD', amount_minor }))
  expect(earnedText([{ commissions }] as never, ['pending'])).toBeNull()
  expect(earnedText([], ['pending'])).toBeNull()
})
