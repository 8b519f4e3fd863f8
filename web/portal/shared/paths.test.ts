import { describe, expect, it } from 'vitest'
import { addressOfPage, isAt, pageAt } from './paths.ts'

describe.each(['/portal/acme', ''])('a portal with the base path "%s"', base => {
  it.each(['/', '/links', '/referrals/7'])('has the page %s', page => {
    expect(pageAt(addressOfPage(page, base), base)).toBe(page)
  })

  it('ignores trailing slashes', () => {
    expect(pageAt(`${base}/links//`, base)).toBe('/links')
    expect(pageAt(`${base}/`, base)).toBe('/')
    expect(pageAt(base, base)).toBe('/')
  })
})

it('is / when both page and base are empty', () => {
  expect(addressOfPage('', '')).toBe('/')
})

describe('a tab', () => {
  it.each([
    ['/referrals', '/referrals', true],
    ['/referrals/7', '/referrals', true],
    ['/referrals-old', '/referrals', false],
    ['/', '/', true],
    ['/links', '/', false],
    ['/', '/links', false],
  ])('of %s is %s: %s', (page, tab, isOpen) => {
    expect(isAt(page, tab)).toBe(isOpen)
  })
})
