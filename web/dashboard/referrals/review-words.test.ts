import { expect, it } from 'vitest'
import { money } from '../../ui/format.ts'
import { earned } from './review-words.ts'

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

it('adds up what is in these statuses, by currency', () => {
  expect(earned(rows, ['pending'])).toBe(`${money(1234, 'USD')} and ${money(5, 'KWD')}`)
  expect(earned(rows, ['approved', 'paid'])).toBe(money(400, 'USD'))
})

it('is nothing where nothing is left, or refunds took it all', () => {
  expect(earned(rows, ['approved'])).toBeNull()
  const commissions = [10, -10].map(amount_minor => ({ status: 'pending', currency: 'USD', amount_minor }))
  expect(earned([{ commissions }] as never, ['pending'])).toBeNull()
  expect(earned([], ['pending'])).toBeNull()
})
