/** Bad input on every call of the portal gets a response that names it, and changes nothing. */
import { type PortalRoute, type PortalRouteId, portalRoutes } from '@tributary/contract/portal'
import { beforeAll, describe, expect, it } from 'vitest'
import { useScene } from '../harness.ts'
import { winCustomer } from '../ledger/scene.ts'
import { PortalBrowser } from './affiliate.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const ofAffiliates = (Object.entries<PortalRoute>(portalRoutes) as [PortalRouteId, PortalRoute][]).filter(
  ([, [, , caller]]) => caller === 'affiliate',
)
let jane: PortalBrowser
beforeAll(async () => {
  jane = await PortalBrowser.signIn(scene, (await winCustomer(scene)).affiliate.id)
})

describe('what is no input', () => {
  const NASTY = ['0', '-1', '1.5', '1e3', 'abc', '9007199254740993', '%00', '..%2F..', "1'--", '01']
  it.each(ofAffiliates.filter(([, [, path]]) => path.includes('{id}')))('ids of %s', async id => {
    for (const nasty of NASTY) {
      const { status, body } = await jane.call(id, { id: nasty, body: {} })
      expect([nasty, status, body.error.code]).toEqual([nasty, 404, 'not_found'])
    }
  })

  it.each<[PortalRouteId, Record<string, unknown>]>([
    ['getHome', { days: 8 }],
    ['getHome', { days: 'x' }],
    ['listReferrals', { limit: 0 }],
    ['listReferrals', { limit: 1000 }],
    ['listReferrals', { after: 'x' }],
    ['listReferrals', { order: 'up' }],
    ['listCommissions', { status: 'none' }],
    ['listCommissions', { campaign_id: '1 OR 1=1' }],
    ['listCommissions', { after: '9007199254740993' }],
    ['listPayouts', { limit: '1e1' }],
    ['downloadStatement', { as_of: 'yesterday' }],
    ['printStatement', { as_of: '2026-02-30T00:00:00.000Z' }],
    ['printStatement', { as_of: '' }],
  ])('queries: %s %o', async (id, query) => {
    expect((await jane.call(id, { query })).status).toBe(422)
  })

  it.each<[PortalRouteId, Record<string, unknown>]>([
    ['updateMe', {}],
    ['updateMe', { name: '' }],
    ['updateMe', { name: 1 }],
    ['updateMe', { name: 'a\0b' }],
    ['updateMe', { name: 'a\ud800' }],
    ['updateMe', { name: 'x'.repeat(256) }],
    ['changePayPal', {}],
    ['changePayPal', { paypal_email: 'jane' }],
    ['changePayPal', { paypal_email: 'jane@exam\r\nple.com' }],
    ['changePayPal', { paypal_email: ['jane@example.com'] }],
    ['requestSignInLink', { email: 'jane@example.com\0' }],
    ['requestSignInLink', { email: 'not-an-email' }],
    ['requestSignInLink', { email: `${'x'.repeat(250)}@example.com` }],
    ['requestToJoin', { email: 'jane@example.com' }],
    ['requestToJoin', { email: 'jane@example.com', campaign_id: 0 }],
    ['requestToJoin', { email: 'jane@example.com', campaign_id: 1, name: 'a\ud800' }],
    ['requestToJoin', { email: 'jane@example.com', campaign_id: 1, status: 'approved' }],
  ])('bodies: %s %o', async (id, body) => {
    const before = (await jane.me()).text
    expect((await jane.call(id, { body })).status).toBe(422)
    expect((await jane.me()).text).toBe(before)
  })

  it('is refused whatever bytes it is made of', async () => {
    const path = `/portal/${scene.account.slug}/api/sign-in-links`
    const json = { 'content-type': 'application/json' }
    for (const [body, status] of [
      ['', 422],
      ['{', 400],
      ['[]', 400],
      ['null', 400],
      [`${'['.repeat(10_000)}${']'.repeat(10_000)}`, 400],
      [JSON.stringify({ email: 'x'.repeat(300_000) }), 413],
    ] as const) {
      const browser = new PortalBrowser(scene.app, scene.account.slug)
      expect([body.slice(0, 9), (await browser.send('POST', path, json, body)).status]).toEqual([
        body.slice(0, 9),
        status,
      ])
    }
    for (const [method, unknown] of [
      ['GET', 'nothing'],
      ['POST', 'nothing'],
      ['GET', 'referrals/1/more'],
      ['PUT', 'me'],
    ] as const) {
      const { status, headers } = await jane.send(method, `/portal/${scene.account.slug}/api/${unknown}`)
      expect(status).toBe(404)
      expect(headers.get('content-type')).toMatch(/json/)
    }
  })
})
