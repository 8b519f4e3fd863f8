import { expect, it } from 'vitest'
import { fieldError } from './field-error.ts'

it('shows the error of a field next to it', () => {
  expect(fieldError(new Error('email must be an address.'), 'email')).toBe('Must be an address.')
})

it.each([
  ['another field', new Error('email must be an address.'), 'name'],
  ['a field whose name begins alike', new Error('name_of_it is wrong.'), 'name'],
  ['a message that only holds the name', new Error('The email is wrong.'), 'email'],
  ['no error', null, 'email'],
])('shows nothing for %s', (_case, error, field) => {
  expect(fieldError(error, field)).toBeUndefined()
})
