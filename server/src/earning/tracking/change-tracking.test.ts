import { describe, expect, it } from 'vitest'
import { siteFrom } from './change-tracking.ts'

describe('siteFrom', () => {
  it.each([
    ['https://staging.example.com', 'https://staging.example.com'],
    ['  https://Staging.Example.com:8443/pricing?plan=pro#top ', 'https://staging.example.com'],
    ['staging.example.com', 'https://staging.example.com'],
    ['staging.example.com:8443', 'https://staging.example.com'],
    ['http://shop.test', 'http://shop.test'],
    ['localhost', 'http://localhost'],
    ['localhost:3000/cart', 'http://localhost'],
    ['https://localhost:3000', 'https://localhost'],
    ['127.0.0.1:8080', 'http://127.0.0.1'],
    ['[::1]:8080', 'http://[::1]'],
    ['bücher.example', 'https://xn--bcher-kva.example'],
    ['my_shop.example.com', 'https://my_shop.example.com'],
  ])('%s', (typed, site) => {
    expect(siteFrom(typed)).toBe(site)
  })

  it.each([
    '',
    'com',
    'https://com',
    'https://',
    'ftp://shop.example',
    'javascript://shop.example/%0aalert(1)',
    'https://user@shop.example',
    'https://user:secret@shop.example',
    'https://*.shop.example',
    'https://shop.example;x',
    'https://shop..example',
    'https://shop.example.',
    'a shop',
    'null',
  ])('not %j', typed => {
    expect(() => siteFrom(typed)).toThrow('is not a site such as')
  })
})
