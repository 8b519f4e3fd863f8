import { describe, expect, it } from 'vitest'
import { clickUrl, deepLink, isMerchantOrigin, markedPage, readLinkQuery } from './destination-url.ts'

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

describe('readLinkQuery', () => {
  it.each([
    ['', undefined, ''],
    ['to=/x&fbclid=1&via=y', '/x', ''],
    ['utm_source=a%20b&to=/x&sub_id=%c3%bc&other=1', '/x', 'utm_source=a%20b&sub_id=%C3%BC'],
    ['gclid=1&gclid=2&%67braid=3&GCLID=4', undefined, 'gclid=1&gclid=2&gbraid=3'],
    ['utm_medium&msclkid=%ff#x', undefined, 'utm_medium=&msclkid=%EF%BF%BD%23x'],
  ])('%s', (query, to, marks) => {
    expect(readLinkQuery(query)).toEqual({ to, marks })
  })
})

describe('markedPage', () => {
  it.each([
    ['https://shop.example/x', '', 'https://shop.example/x'],
    ['https://shop.example/x', 'sub_id=1', 'https://shop.example/x?sub_id=1'],
    ['https://shop.example/x?', 'sub_id=1', 'https://shop.example/x?sub_id=1'],
    ['https://shop.example/?sub_id=2&a#b?c', 'sub_id=1', 'https://shop.example/?sub_id=1&sub_id=2&a#b?c'],
    ['https://shop.example/#b?c\n#d', 'sub_id=1', 'https://shop.example/?sub_id=1#b?c\n#d'],
  ])('%s with %s', (page, marks, expected) => {
    expect(markedPage(page, marks)).toBe(expected)
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
