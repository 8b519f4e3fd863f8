import { describe, expect, it } from 'vitest'
import { clickUrl, deepLink, isMerchantOrigin } from './destination-url.ts'

describe('clickUrl', () => {
  it.each([
    ['https://shop.example', 'https://shop.example/?via=a&click_id=7'],
    ['https://shop.example/x?', 'https://shop.example/x?via=a&click_id=7'],
    ['https://shop.example/x?a=1&a=2', 'https://shop.example/x?a=1&a=2&via=a&click_id=7'],
    [
      'https://shop.example/?q=a%20b+c&flag&=&e=',
      'https://shop.example/?q=a%20b+c&flag&=&e=&via=a&click_id=7',
    ],
    ['https://shop.example/#/route?x=1', 'https://shop.example/?via=a&click_id=7#/route?x=1'],
    ['https://shop.example/?via=b&x=1&click_id=3', 'https://shop.example/?x=1&via=a&click_id=7'],
    ['https://shop.example/?%76ia=b&click%5Fid=3', 'https://shop.example/?via=a&click_id=7'],
    [
      'https://shop.example/?viable=1&my_click_id=2',
      'https://shop.example/?viable=1&my_click_id=2&via=a&click_id=7',
    ],
  ])('%s', (address, expected) => {
    expect(clickUrl(address, 'a', 7)).toBe(expected)
  })

  it('a token is one value whatever is in it', () => {
    const url = new URL(clickUrl('https://shop.example/', 'a&b=c#d', 7))
    expect([...url.searchParams]).toEqual([
      ['via', 'a&b=c#d'],
      ['click_id', '7'],
    ])
  })
})

describe('deepLink', () => {
  it.each([
    ['/x', 'http://shop.example:8080/a', 'http://shop.example:8080/x'],
    ['https://shop.example/x', 'http://shop.example/', undefined],
    ['http://shop.example:80/x', 'http://shop.example/', 'http://shop.example/x'],
    ['http://shop.example/x', 'http://shop.example:8080/', undefined],
    ['blob:http://shop.example/x', 'http://shop.example/', undefined],
    ['https:evil.example', 'http://shop.example/', undefined],
    ['https:evil.example', 'https://shop.example/', 'https://shop.example/evil.example'],
    ['http://user@shop.example/', 'http://shop.example/', undefined],
    ['http://', 'http://shop.example/', undefined],
  ])('%s on %s', (to, destination, expected) => {
    expect(deepLink(to, destination)).toBe(expected)
  })
})

describe('isMerchantOrigin', () => {
  const destinations = ['https://www.shop.example/x', 'http://127.0.0.1:8080/', 'https://bücher.example/']
  it.each([
    ['https://shop.example', true],
    ['https://a.b.shop.example', true],
    ['https://www.shop.example:444', true],
    ['http://127.0.0.1:9', true],
    ['https://xn--bcher-kva.example', true],
    ['https://ashop.example', false],
    ['http://shop.example', false],
    ['https://wwwXshop.example', false],
    ['http://1.127.0.0.1', false],
    ['null', false],
    ['', false],
  ])('%s: %s', (origin, expected) => {
    expect(isMerchantOrigin(origin, destinations)).toBe(expected)
  })

  it('nothing is the merchant’s where no campaign leads anywhere', () => {
    expect(isMerchantOrigin('https://shop.example', [])).toBe(false)
  })
})
