import { expect, it } from 'vitest'
import { optionsOf } from './options.ts'

it('offers every value by its label, in the given order', () => {
  expect(optionsOf({ pending: 'Pending', api_key: 'API key' })).toEqual([
    { value: 'pending', label: 'Pending' },
    { value: 'api_key', label: 'API key' },
  ])
})
