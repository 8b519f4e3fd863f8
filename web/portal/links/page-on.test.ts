/** Protects the merchant's links: a deep link never leaves the merchant's own site. */
import { expect, it } from 'vitest'
import { pageOn } from './page-on.ts'

const site = 'https://shop.example/start'

it.each([
  ['https://shop.example/shoes?size=42#red', '/shoes?size=42#red'],
  ['/shoes', '/shoes'],
  ['shoes', '/shoes'],
  ['?a=1', '/start?a=1'],
  ['HTTPS://SHOP.EXAMPLE/Shoes', '/Shoes'],
  ['https://shop.example:443/', '/'],
])('accepts %s', (text, page) => {
  expect(pageOn(site, text)).toBe(page)
})

it.each([
  'https://evil.example/',
  '//evil.example/',
  '\\\\evil.example',
  'http://shop.example/shoes',
  'https://shop.example.evil.example/',
  'https://shop.example:8443/',
  'https://shop.example@evil.example/',
  'javascript:alert(1)',
  'https://',
])('refuses %s', text => {
  expect(pageOn(site, text)).toBeUndefined()
})

it('refuses everything when the destination is not a URL', () => {
  expect(pageOn('nowhere', '/shoes')).toBeUndefined()
})
