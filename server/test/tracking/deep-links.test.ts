/** An affiliate's link never sends a visitor to a site that the merchant did not name. */
import { describe, expect, it } from 'vitest'
import { clickRow, follow, linkOf, useTracking } from './scene.ts'

const scene = useTracking()
const to = (target: string) => follow(scene, linkOf(scene, `?to=${encodeURIComponent(target)}`))

describe('followed within the site', () => {
  it.each([
    ['https://shop.example/pricing', 'https://shop.example/pricing?'],
    ['https://shop.example', 'https://shop.example/?'],
    ['https://SHOP.example:443/x', 'https://shop.example/x?'],
    ['/pricing?coupon=A%2FB#top', 'https://shop.example/pricing?coupon=A%2FB&'],
    ['docs/setup', 'https://shop.example/docs/setup?'],
    ['?plan=pro', 'https://shop.example/start?plan=pro&'],
    ['/a/../b', 'https://shop.example/b?'],
    ['//shop.example/x', 'https://shop.example/x?'],
    ['/grüße ✓', 'https://shop.example/gr%C3%BC%C3%9Fe%20%E2%9C%93?'],
  ])('%s', async (target, beginning) => {
    const { status, location, clickId } = await to(target)
    expect(status).toBe(302)
    const hash = target.includes('#') ? target.slice(target.indexOf('#')) : ''
    expect(location?.href).toBe(`${beginning}via=${scene.affiliate.token}&click_id=${clickId}${hash}`)
    expect((await clickRow(scene, clickId)).landing_url).toBe(
      new URL(target, 'https://shop.example/start').href,
    )
  })
})

describe('led to the campaign’s own destination instead', () => {
  it.each([
    'https://evil.example/',
    'http://shop.example/',
    'https://shop.example:8443/',
    'https://www.shop.example/',
    'https://sub.shop.example/',
    'https://shop.example.evil.example/',
    'https://evilshop.example/',
    'https://shop.example@evil.example/',
    'https://shop.example:pw@evil.example/',
    'https://evil@shop.example/',
    'https://:pw@shop.example/',
    '//evil.example',
    '///evil.example',
    '////evil.example/x',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    'https:\\\\evil.example',
    'https:/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\u0000//evil.example',
    ' //evil.example',
    'ht\ntps://evil.example',
    'http:evil.example',
    'https://shop。example.evil.example/',
    'https://ѕhop.example/',
    'javascript:alert(1)',
    'JaVaScRiPt://shop.example/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://shop.example/6b9f',
    'filesystem:https://shop.example/temporary/x',
    'view-source:https://shop.example/',
    'ftp://shop.example/',
    'ws://shop.example/',
    'file:///etc/passwd',
    'about:blank',
    'https://',
    'https://[::1',
    '',
  ])('%j', async target => {
    const { status, location } = await to(target)
    expect(status).toBe(302)
    expect(location?.href).toMatch(/^https:\/\/shop\.example\/start\?plan=a%20b&flag&via=.*#prices$/)
  })

  it('https:evil.example, which is a path of this site to every browser', async () => {
    expect((await to('https:evil.example')).location?.href).toMatch(
      /^https:\/\/shop\.example\/evil\.example\?via=/,
    )
  })

  it.each(['%2f%2fevil.example', '%5c%5cevil.example', 'https%3a%2f%2fevil.example'])(
    'encoded twice, %s is a path and nothing else',
    async target => {
      const { location } = await to(target)
      expect(location?.origin).toBe('https://shop.example')
      expect(location?.pathname.startsWith('/%') || location?.pathname.startsWith('/https%3a')).toBe(true)
    },
  )

  it('when it is not valid UTF-8, or is said twice', async () => {
    for (const query of ['?to=%ff%fe//evil.example', '?to=//evil.example&to=https://evil.example/']) {
      const { status, location } = await follow(scene, linkOf(scene, query))
      expect([status, location?.origin]).toEqual([302, 'https://shop.example'])
    }
  })

  it('without injecting a header into the response', async () => {
    const { status, location, headers } = await to('/x\r\nSet-Cookie: a=b\r\n\r\n<script>')
    expect([status, location?.origin]).toEqual([302, 'https://shop.example'])
    expect(headers.get('set-cookie')).toBeNull()
  })
})
