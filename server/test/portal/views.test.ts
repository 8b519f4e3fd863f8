/**
 * A member of the team views the portal as an affiliate: it shows what the affiliate sees, changes nothing, ends soon, and leaves the
 * affiliate's own sessions alone.
 */
import { type PortalRoute, type PortalRouteId, portalRoutes } from '@tributary/contract/portal'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Person } from '../dashboard/person.ts'
import { buildAffiliate } from '../factories.ts'
import { useScene } from '../harness.ts'
import { PortalBrowser } from './affiliate.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const changes = (Object.entries<PortalRoute>(portalRoutes) as [PortalRouteId, PortalRoute][]).filter(
  ([, [method, , caller]]) => caller === 'affiliate' && method !== 'GET',
)
const bodies: Partial<Record<PortalRouteId, object>> = {
  updateMe: { name: 'Mallory' },
  changePayPal: { paypal_email: 'mallory@evil.example' },
}

let admin: Person
let affiliateId: number
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
})
beforeEach(async () => {
  const made = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id, {
    name: 'Jane',
  })
  affiliateId = made.id
  await admin.call('updateAffiliate', { id: affiliateId, body: { status: 'approved' } })
})

const query = async (text: string, values: unknown[]) => (await scene.database.owner.query(text, values)).rows
const linkOf = async (person = admin) => {
  const { status, body } = await person.call('viewAsAffiliate', { id: affiliateId })
  expect(status).toBe(200)
  return new URL(body.url).pathname
}

/** Follows the link in a browser, as the dashboard does. */
async function view(browser = new PortalBrowser(scene.app, scene.account.slug), person = admin) {
  const path = await linkOf(person)
  expect((await browser.get(path)).status).toBe(200)
  expect((await browser.post(path)).status).toBe(303)
  await browser.me()
  return browser
}

describe('a view', () => {
  it('shows the portal, who is viewing, until when, and the way back', async () => {
    const browser = await view()
    const { body } = await browser.me()
    expect([body.id, body.name, body.is_fresh]).toEqual([affiliateId, 'Jane', false])
    expect(body.view).toEqual({
      viewer: admin.email,
      expires_at: expect.any(String),
      back: `https://programme.example/dashboard/${scene.account.slug}/affiliates/${affiliateId}`,
    })
    const minutes = (Date.parse(body.view.expires_at) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(25)
    expect(minutes).toBeLessThan(35)
    for (const [id, [method, path, caller]] of Object.entries<PortalRoute>(portalRoutes))
      if (caller === 'affiliate' && method === 'GET' && !path.includes('{id}'))
        expect([id, (await browser.call(id as PortalRouteId)).status]).toEqual([id, 200])
  })

  it('is in the audit log with the viewer', async () => {
    await view()
    const [entry] = (
      await admin.call('listAuditLog', { query: { action: 'affiliate.view_as', subject_id: affiliateId } })
    ).body.data
    expect([entry.actor_name, entry.subject_id, entry.details]).toEqual([admin.email, affiliateId, {}])
  })

  it.each(changes)('refuses %s', async id => {
    const browser = await view()
    if (id === 'signOut') return
    const own = await PortalBrowser.signIn(scene, affiliateId)
    const before = (await own.me()).text
    const { status, body } = await browser.call(id, { id: scene.place.campaign_id, body: bodies[id] ?? {} })
    expect([status, body.error.code]).toEqual([403, 'forbidden'])
    expect((await own.me()).text).toBe(before)
    expect((await browser.me()).body.view).not.toBeNull()
  })

  it('ends by signing out, without ending the session of the affiliate', async () => {
    const own = await PortalBrowser.signIn(scene, affiliateId)
    const browser = await view()
    await browser.ask('signOut')
    expect((await browser.me()).status).toBe(401)
    expect((await own.me()).body.view).toBeNull()
  })

  it('leaves a session in the same browser as it was', async () => {
    const own = await PortalBrowser.signIn(scene, affiliateId)
    const sessions = () =>
      query('SELECT * FROM portal_sessions WHERE affiliate_id = $1 ORDER BY token_hash', [affiliateId])
    const before = await sessions()
    await view(own)
    expect((await own.me()).body.view).not.toBeNull()
    expect(await sessions()).toEqual(before)
    await own.ask('signOut')
    expect((await own.me()).body.view).toBeNull()
  })

  it("does not count the viewer's address as the affiliate's", async () => {
    await view()
    expect(await query('SELECT 1 FROM affiliate_addresses WHERE affiliate_id = $1', [affiliateId])).toEqual(
      [],
    )
  })

  it('expires, and visits do not renew it', async () => {
    const browser = await view()
    const [before] = await query('SELECT expires_at FROM portal_views WHERE affiliate_id = $1', [affiliateId])
    await query(
      "UPDATE portal_views SET created_at = now() - interval '20 minutes' WHERE affiliate_id = $1",
      [affiliateId],
    )
    await browser.ask('getHome')
    const rows = await query('SELECT expires_at FROM portal_views WHERE affiliate_id = $1', [affiliateId])
    expect(rows).toEqual([before])
    await query('UPDATE portal_views SET expires_at = now() WHERE affiliate_id = $1', [affiliateId])
    expect((await browser.me()).status).toBe(401)
  })

  it('ends when the viewer leaves the team or loses the permission', async () => {
    const leaver = await Person.join(scene.app, scene.account.id, 'admin')
    const browser = await view(undefined, leaver)
    const setRole = (role: string) =>
      query('UPDATE memberships SET role = $2 FROM users u WHERE u.id = user_id AND u.email = $1', [
        leaver.email,
        role,
      ])
    await setRole('finance')
    expect((await browser.me()).status).toBe(401)
    await setRole('admin')
    expect((await browser.me()).status).toBe(200)
    await query('DELETE FROM memberships USING users u WHERE u.id = user_id AND u.email = $1', [leaver.email])
    expect((await browser.me()).status).toBe(401)
  })

  it('ends when the affiliate is rejected, and is refused from then on', async () => {
    const browser = await view()
    await admin.call('updateAffiliate', { id: affiliateId, body: { status: 'rejected' } })
    expect((await browser.me()).status).toBe(401)
    const { status, body } = await admin.call('viewAsAffiliate', { id: affiliateId })
    expect([status, body.error.code]).toEqual([409, 'invalid_state'])
  })
})

it('a view is not prolonged by visits', async () => {
  const browser = await view()
  await query(`UPDATE portal_sessions SET last_seen_at = now() - interval '1 day' WHERE affiliate_id = $1`, [
    affiliateId,
  ])
  const { status, headers } = await browser.me()
  expect([status, headers.getSetCookie()]).toEqual([200, []])
})

describe('the link of a view', () => {
  it('works once, also when opened twice at the same time', async () => {
    const path = await linkOf()
    const browsers = Array.from({ length: 4 }, () => new PortalBrowser(scene.app, scene.account.slug))
    const statuses = await Promise.all(browsers.map(async each => (await each.post(path)).status))
    expect(statuses.toSorted()).toEqual([303, 410, 410, 410])
    expect((await browsers[0]?.get(path))?.status).toBe(410)
  })

  it('expires', async () => {
    const path = await linkOf()
    await query('UPDATE portal_views SET expires_at = now() WHERE affiliate_id = $1', [affiliateId])
    expect((await new PortalBrowser(scene.app, scene.account.slug).post(path)).status).toBe(410)
  })

  it('is no session, and neither is the token of a view in the cookie of a session', async () => {
    const path = await linkOf()
    const [token] = path.split('/').slice(-1) as [string]
    const browser = new PortalBrowser(scene.app, scene.account.slug)
    for (const name of [`portal-view-${scene.account.slug}`, `portal-${scene.account.slug}`])
      browser.cookies.set(name, token)
    expect((await browser.me()).status).toBe(401)
    const viewing = await view()
    const session = viewing.cookies.get(`portal-view-${scene.account.slug}`) as string
    browser.cookies.clear()
    browser.cookies.set(`portal-${scene.account.slug}`, session)
    expect((await browser.me()).status).toBe(401)
  })
})

it('signing in by a link ends the view in that browser', async () => {
  const browser = await view()
  const { body } = await admin.call('createSignInLink', { id: affiliateId })
  expect((await browser.post(new URL(body.url).pathname)).status).toBe(303)
  expect((await browser.me()).body.view).toBeNull()
})
