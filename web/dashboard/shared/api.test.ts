import { expect, it } from 'vitest'
import { pathOf } from './api.ts'

it('builds the path of the account, the object and the query', () => {
  expect(pathOf(3, 'listAffiliates')).toBe('accounts/3/affiliates')
  expect(pathOf(3, 'getAffiliate', { id: 7 })).toBe('accounts/3/affiliates/7')
  expect(pathOf(3, 'listAffiliates', { query: { q: 'ada & co', status: undefined, limit: 20 } })).toBe(
    'accounts/3/affiliates?q=ada+%26+co&limit=20',
  )
})
