import { expect, it } from 'vitest'
import { customerLabel } from './customer-label.ts'

it.each([
  ['jane@example.com', 'jane@example.com'],
  ['j•••@e•••', 'j•••@e•••'],
  ['•••', 'Customer 7'],
  [null, 'Customer 7'],
])('%s is shown as %s', (customer, label) => {
  expect(customerLabel(customer, 7)).toBe(label)
})
