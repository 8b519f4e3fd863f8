/** Protects affiliates from each other and from everybody else: a session shows its own portal and its own rows, and ends when it should. */
import { type PortalRoute, type PortalRouteId, portalRoutes } from '@tributary/contract/portal'
import { beforeAll, describe, expect, it } from 'vitest'
import { startSession } from '../../src/programme/team/sessions.ts'
import { TestClient } from '../client.ts'
import { Person } from '../dashboard/person.ts'
import { buildAccount, type TestAccount, unique } from '../factories.ts'
import { type Scene, useScene } from '../harness.ts'
import { earnOne, pay, type Won, winCustomer } from '../ledger/scene.ts'
import { PortalBrowser } from './affiliate.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const routes = Object.entries<PortalRoute>(portalRoutes) as [PortalRouteId, PortalRoute][]
const ofAffiliates = routes.filter(([, [, , caller]]) => caller === 'affiliate')
const changes = ofAffiliates.filter(([, [method]]) => method !== 'GET')
/** Bodies that the calls would accept. */
const bodies: Partial<Record<PortalRouteId, object>> = {
  updateMe: { name: 'Mallory' },
  changePayPal: { paypal_email: 'mallory@evil.example' },
  requestSignInLink: { email: 'jane@example.com' },
  requestToJoin: { email: 'jane@example.com', campaign_id: 1 },
}
const inputOf = (id: PortalRouteId) => ({ id: 1, body: { ...bodies[id] } })

const DESTINATION = 'https://shop.example'
const terms = { destination_url: DESTINATION, visibility: 'public', open_enrollment: true } as const
let other: Scene & { account: TestAccount }
/** Two affiliates of one account, and one of another, each with a sale, and with a payout. */
let mine: Won
let neighbours: Won
let theirs: Won
let jane: PortalBrowser
let neighbour: PortalBrowser
let stranger: PortalBrowser

async function programme(of: Scene): Promise<Won> {
  const won = await winCustomer(of, { ...terms, name: unique('Secret') })
  await earnOne(of, won)
  await pay(of, won.campaign.id)
  await earnOne(of, won)
  return won
}

beforeAll(async () => {
  const account = await buildAccount(scene.database)
  other = { ...scene, account, api: new TestClient(scene.app.url, account.key) }
  mine = await programme(scene)
  neighbours = await programme(scene)
  theirs = await programme(other)
  jane = await PortalBrowser.signIn(scene, mine.affiliate.id)
  neighbour = await PortalBrowser.signIn(scene, neighbours.affiliate.id)
  stranger = await PortalBrowser.signIn(other, theirs.affiliate.id)
})

/** The same cookies, sent to another account's portal under any name that it might read. */
function withNameOf(slug: string, { cookies }: PortalBrowser): PortalBrowser {
  const browser = new PortalBrowser(scene.app, slug)
  const token = [...cookies.values()][0] as string
  for (const name of [...cookies.keys(), `portal-${slug}`, `__Host-portal-${slug}`, 'tributary'])
    browser.cookies.set(name, token)
  return browser
}

describe.each(ofAffiliates)('%s', id => {
  it('responds 401 without a session', async () => {
    const signedOut = new PortalBrowser(scene.app, scene.account.slug)
    const forged = new PortalBrowser(scene.app, scene.account.slug)
    forged.cookies.set(`portal-${scene.account.slug}`, 'x'.repeat(43))
    const elsewhere = withNameOf(scene.account.slug, stranger)
    elsewhere.csrf = stranger.csrf
    for (const browser of [signedOut, forged, elsewhere]) {
      const { status, body } = await browser.call(id, inputOf(id))
      expect([status, body]).toEqual([401, { error: { code: 'unauthorized', message: 'Sign in first.' } }])
    }
  })

  it('takes nothing that it does not know', async () => {
    const query = await jane.call(id, { ...inputOf(id), query: { unknown: '1' } })
    expect([query.status, query.body?.error?.code]).toEqual([422, 'validation_failed'])
    if (portalRoutes[id][0] === 'GET') return
    const body = await jane.call(id, { id: 1, body: { ...bodies[id], unknown: 1 } })
    expect([body.status, body.body?.error?.code]).toEqual([422, 'validation_failed'])
    expect((await jane.me()).status).toBe(200)
  })
})

describe.each(changes)('%s', (id, [method, path]) => {
  it('is made by our own page and no other', async () => {
    const before = (await jane.me()).text
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: undefined },
      { origin: 'null' },
      { origin: `${scene.app.url}.evil.example` },
      { 'tributary-csrf': undefined },
      { 'tributary-csrf': neighbour.csrf },
      { 'tributary-csrf': `${jane.csrf}x` },
    ]) {
      const { status, body } = await jane.call(id, { ...inputOf(id), headers })
      expect([headers, status, body.error.code]).toEqual([headers, 401, 'unauthorized'])
    }
    const form = await jane.send(
      method,
      `/portal/${scene.account.slug}/api/${path.replace('{id}', '1')}`,
      { 'content-type': 'text/plain', 'tributary-csrf': jane.csrf },
      JSON.stringify(inputOf(id).body),
    )
    expect(form.status).toBe(415)
    expect((await jane.me()).text).toBe(before)
  })
})

/** Everything that only its owner may see. */
const secretsOf = ({ affiliate, campaign, customer_ref }: Won) => [
  affiliate.email,
  affiliate.token,
  affiliate.coupon_code,
  campaign.name,
  customer_ref,
]

describe('ids of others', () => {
  it.each(['neighbour', 'stranger'] as const)('of a %s name nothing', async whose => {
    const won = whose === 'neighbour' ? neighbours : theirs
    // The name of a neighbour's campaign is public in the portal that both share.
    const secrets = secretsOf(won).filter(text => whose === 'stranger' || text !== won.campaign.name)
    const campaign = whose === 'neighbour' ? undefined : won.campaign.id
    for (const [id, [, path]] of ofAffiliates) {
      if (!path.includes('{id}') || (id === 'joinCampaign' && campaign === undefined)) continue
      const ids = id === 'getReferral' ? won.referralId : won.campaign.id
      const { status, text } = await jane.call(id, { id: ids, body: {} })
      expect([id, status]).toEqual([id, 404])
      const nothing = await jane.call(id, { id: 999_999_999, body: {} })
      expect(text).toBe(nothing.text)
      for (const secret of secrets) expect(text).not.toContain(secret)
    }
  })

  it('appear in no list, total or file', async () => {
    for (const [id, [method, path]] of ofAffiliates) {
      if (method !== 'GET' || path.includes('{id}')) continue
      const { status, text } = await jane.call(id)
      expect([id, status]).toEqual([id, 200])
      for (const secret of secretsOf(theirs)) expect(text).not.toContain(secret)
      for (const secret of secretsOf(neighbours).filter(text => text !== neighbours.campaign.name))
        expect(text).not.toContain(secret)
    }
    const filtered = await jane.ask('listCommissions', { query: { campaign_id: neighbours.campaign.id } })
    expect(filtered.data).toEqual([])
    const after = await jane.ask('listReferrals', { query: { after: 999_999_999 } })
    expect(after.data.map(({ id }: { id: number }) => id)).toEqual([mine.referralId])
  })
})

describe('a session ends', () => {
  const enter = () => PortalBrowser.signIn(scene, mine.affiliate.id)
  const status = async (browser: PortalBrowser) => (await browser.me()).status
  const keeping = (browser: PortalBrowser) => {
    const copy = new PortalBrowser(scene.app, browser.slug)
    copy.cookies = new Map(browser.cookies)
    return copy
  }

  it('alone, on sign-out, including for a copied cookie', async () => {
    const [one, two] = [await enter(), await enter()]
    const thief = keeping(one)
    await one.ask('signOut')
    expect(one.cookies.size).toBe(0)
    expect([await status(thief), await status(two)]).toEqual([401, 200])
  })

  it('on all devices, and for no other affiliate', async () => {
    const [one, two] = [await enter(), await enter()]
    const thief = keeping(two)
    await one.ask('signOutEverywhere')
    expect([await status(one), await status(two), await status(thief)]).toEqual([401, 401, 401])
    expect([await status(neighbour), await status(stranger)]).toEqual([200, 200])
  })

  it("after 30 days without a visit, by the database's clock", async () => {
    const one = await enter()
    const set = (values: string) =>
      scene.database.owner.query(`UPDATE portal_sessions SET ${values} WHERE affiliate_id = $1`, [
        mine.affiliate.id,
      ])
    await set(`expires_at = now() + interval '1 day', last_seen_at = now() - interval '29 days'`)
    const visit = await one.me()
    expect(visit.status).toBe(200)
    // The browser forgets a cookie that isn't renewed with the session.
    const [[name, token] = []] = one.cookies
    expect(visit.headers.getSetCookie()).toEqual([
      `${name}=${token}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax`,
    ])
    expect((await one.me()).headers.getSetCookie()).toEqual([])
    const { rows } = await scene.database.owner.query(
      `SELECT 1 FROM portal_sessions WHERE affiliate_id = $1 AND expires_at > now() + interval '29 days'`,
      [mine.affiliate.id],
    )
    expect(rows).toHaveLength(1)
    await set('expires_at = now()')
    expect(await status(one)).toBe(401)
  })

  it('on sign-out, also with the visit that renews it', async () => {
    const one = await enter()
    await scene.database.owner.query(
      `UPDATE portal_sessions SET last_seen_at = now() - interval '1 day' WHERE affiliate_id = $1`,
      [mine.affiliate.id],
    )
    await one.ask('signOut')
    expect(one.cookies.size).toBe(0)
  })

  it('at once when the affiliate is rejected', async () => {
    const won = await winCustomer(scene)
    const browser = await PortalBrowser.signIn(scene, won.affiliate.id)
    await scene.api.patch(`/affiliates/${won.affiliate.id}`, { status: 'rejected' })
    for (const [id] of ofAffiliates) expect((await browser.call(id, inputOf(id))).status).toBe(401)
  })
})

it('sessions of the portal and of the dashboard open nothing of each other', async () => {
  const person = await Person.join(scene.app, scene.account.id, 'owner')
  const session = `${[...jane.cookies.values()][0]}`
  const headers = { cookie: `tributary=${session}`, 'tributary-csrf': jane.csrf }
  expect((await person.call('getAccount', { headers })).status).toBe(401)
  const { rows } = await scene.database.owner.query('SELECT id FROM users WHERE email = $1', [person.email])
  const from = { address: '127.0.0.1', userAgent: null }
  const cookie = await startSession(
    scene.database.db,
    { id: Number(rows[0].id), password_hash: 'none' },
    from,
  )
  const asPerson = new PortalBrowser(scene.app, scene.account.slug)
  for (const name of ['tributary', `portal-${scene.account.slug}`]) asPerson.cookies.set(name, cookie)
  expect((await asPerson.me()).status).toBe(401)
})

it('changing the payout address requires a recent sign-in', async () => {
  const won = await winCustomer(scene)
  const browser = await PortalBrowser.signIn(scene, won.affiliate.id)
  const change = (paypal_email: string | null) => browser.call('changePayPal', { body: { paypal_email } })
  expect((await browser.me()).body.is_fresh).toBe(true)
  expect((await change('new@example.com')).body).toMatchObject({ paypal_email: 'new@example.com' })
  await scene.database.owner.query(
    `UPDATE portal_sessions SET created_at = now() - interval '15 minutes' WHERE affiliate_id = $1`,
    [won.affiliate.id],
  )
  expect((await browser.me()).body).toMatchObject({ is_fresh: false, paypal_email: 'new@example.com' })
  for (const address of ['evil@example.com', null])
    expect(await change(address)).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } })
  // A name moves no money.
  expect((await browser.ask('updateMe', { body: { name: 'Jane' } })).name).toBe('Jane')
  const again = await PortalBrowser.signIn(scene, won.affiliate.id)
  expect((await again.ask('changePayPal', { body: { paypal_email: null } })).paypal_email).toBeNull()
  expect((await browser.me()).body.is_fresh).toBe(false)
})

it('the audit log says which affiliate changed what', async () => {
  const won = await winCustomer(scene)
  const browser = await PortalBrowser.signIn(scene, won.affiliate.id)
  await browser.ask('updateMe', { body: { name: 'Jane' } })
  await browser.ask('changePayPal', { body: { paypal_email: 'jane@pay.example' } })
  await browser.ask('joinCampaign', { id: mine.campaign.id })
  const { rows } = await scene.database.owner.query(
    `SELECT action, actor_kind, actor_name, subject_id::integer, details FROM audit_log
      WHERE account_id = $1 AND actor_name = $2 ORDER BY id`,
    [scene.account.id, won.affiliate.email],
  )
  const actor = { actor_kind: 'affiliate', actor_name: won.affiliate.email }
  expect(rows).toEqual([
    {
      ...actor,
      action: 'portal.change_name',
      subject_id: won.affiliate.id,
      details: { name: 'Jane', before: { name: null } },
    },
    {
      ...actor,
      action: 'portal.change_paypal',
      subject_id: won.affiliate.id,
      details: { paypal_email: 'jane@pay.example', before: { paypal_email: null } },
    },
    { ...actor, action: 'portal.join', subject_id: mine.campaign.id, details: {} },
  ])
})
