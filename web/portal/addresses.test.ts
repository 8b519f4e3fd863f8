import { describe, expect, it } from 'vitest'
import { joinAddress, referralAddress } from './addresses.ts'

describe('a join path', () => {
  it.each([
    ['/join', { campaignSlug: undefined }],
    ['/join/partners', { campaignSlug: 'partners' }],
    ['/join/partners-2026/some_Code-1', { campaignSlug: 'partners-2026' }],
  ])('%s', (page, expected) => {
    expect(joinAddress(page)).toEqual(expected)
  })

  it.each(['/', '/joined', '/join/', '/join/UPPER', '/join/a/b/c', '/x/join', '/join/a b'])(
    '%s is none',
    page => {
      expect(joinAddress(page)).toBeNull()
    },
  )
})

describe('a referral path', () => {
  it('has its id', () => {
    expect(referralAddress('/referrals/7')).toBe(7)
    expect(referralAddress('/referrals/999999999999999')).toBe(999_999_999_999_999)
  })

  it.each([
    '/referrals',
    '/referrals/',
    '/referrals/0',
    '/referrals/07',
    '/referrals/-1',
    '/referrals/1e3',
    '/referrals/7/x',
    '/referrals/1234567890123456',
  ])('%s is none', page => {
    expect(referralAddress(page)).toBeUndefined()
  })
})
