/** The account decides where its tracker may run; each page there gets the click, no other page does. */
import { beforeAll, describe, expect, it } from 'vitest'
import { listAudit } from '../../src/programme/audit/audit.store.ts'
import { Person } from '../dashboard/person.ts'
import { buildAccount, buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { beacon, follow, linkOf, useTracking } from './scene.ts'

const scene = useTracking()
let admin: Person
let stranger: Person
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
  stranger = await Person.join(scene.app, (await buildAccount(scene.database)).id, 'owner')
})

const visit = (origin: string, url = `${origin}/`) => {
  const sent = { account: scene.account.slug, visitor_id: unique('visitor-0123456789') }
  return beacon(scene, { ...sent, token: scene.affiliate.token, url }, { origin })
}
const isAllowed = async (origin: string) =>
  (await visit(origin)).headers['access-control-allow-origin'] === origin
const change = async (body: object) => {
  const answer = await admin.call('updateTracking', { body })
  expect(answer.status).toBe(200)
  return answer.body
}
const recent = async (person = admin) => (await person.call('getRecentClicks')).body.data

describe('settings', () => {
  it('begin with the script, the campaigns’ sites, and nothing else', async () => {
    const { database, account, campaign } = scene
    await buildCampaign(database, account.id, { destination_url: 'https://shop.example/other' })
    expect((await admin.call('getTracking')).body).toEqual({
      script_url: 'https://programme.example/tracker.js',
      campaign_sites: [{ site: 'https://shop.example', campaign: { id: campaign.id, name: campaign.name } }],
      sites: [],
      shares_subdomains: false,
      keeps_customer_emails: false,
      test_link: null,
    })
  })

  it('offer the link of an approved affiliate to try', async () => {
    const { database, account, campaign } = scene
    const { id, token, email } = await buildAffiliate(database, account.id, campaign.id)
    await admin.call('reviewAffiliates', { body: { ids: [id], status: 'approved' } })
    const { test_link } = (await admin.call('getTracking')).body
    expect(test_link).toEqual({
      url: `https://programme.example/r/${account.slug}/${token}/${campaign.slug}`,
      affiliate: email,
    })
    expect((await follow(scene, new URL(test_link.url).pathname)).status).toBe(302)
  })

  it('show the script on the account’s own domain', async () => {
    await admin.call('updatePortal', { body: { domain: 'partners.shop.example' } })
    const { script_url, test_link } = (await admin.call('getTracking')).body
    expect(new URL(script_url)).toMatchObject({ hostname: 'partners.shop.example', pathname: '/tracker.js' })
    expect(new URL(test_link.url)).toMatchObject({ hostname: 'partners.shop.example' })
    await admin.call('updatePortal', { body: { domain: null } })
  })

  it('add sites and take them away, each logged with what it replaced', async () => {
    for (const origin of ['https://staging.example.net', 'http://localhost:3000'])
      expect(await isAllowed(origin)).toBe(false)
    const { sites } = await change({ sites: ['staging.example.net', 'localhost:3000', 'http://localhost'] })
    expect(sites).toEqual(['https://staging.example.net', 'http://localhost'])
    for (const origin of [
      'https://staging.example.net',
      'https://a.staging.example.net',
      'http://localhost:5173',
    ])
      expect(await isAllowed(origin)).toBe(true)
    for (const origin of ['http://staging.example.net', 'https://example.net', 'https://localhost'])
      expect(await isAllowed(origin)).toBe(false)

    await change({ sites: ['http://localhost'] })
    const [logged] = await listAudit(scene.database.db, scene.account.id, { limit: 1 })
    expect(logged).toMatchObject({
      action: 'tracking.update',
      details: {
        sites: ['http://localhost'],
        before: { sites: ['https://staging.example.net', 'http://localhost'] },
      },
    })
    expect(await isAllowed('https://staging.example.net')).toBe(false)
  })

  it('change one by one: what is left out stays', async () => {
    await change({ sites: ['https://kept.example'] })
    await change({ shares_subdomains: true })
    expect(await change({ sites: ['https://kept.example'] })).toMatchObject({ shares_subdomains: true })
    await change({ shares_subdomains: false })
    expect((await admin.call('getTracking')).body).toMatchObject({
      sites: ['https://kept.example'],
      shares_subdomains: false,
      keeps_customer_emails: false,
    })
  })

  it.each([
    [{}],
    [{ sites: ['com'] }],
    [{ sites: ['https://a.example', 'https://user@b.example'] }],
    [{ sites: Array.from({ length: 51 }, (_, index) => `https://${index}.example.com`) }],
    [{ sites: ['x'.repeat(301)] }],
    [{ shares_subdomains: 'yes' }],
    [{ script_url: 'https://evil.example' }],
  ])('refuse %j, and stay as they were', async body => {
    const before = (await admin.call('getTracking')).body
    expect((await admin.call('updateTracking', { body })).status).toBe(422)
    expect((await admin.call('getTracking')).body).toEqual(before)
  })

  it('of another account open nothing here', async () => {
    await stranger.call('updateTracking', { body: { sites: ['https://rival.example'] } })
    expect(await isAllowed('https://rival.example')).toBe(false)
  })
})

describe('shared subdomains', () => {
  it('are reported to allowed pages only', async () => {
    expect((await visit('https://shop.example')).body).not.toHaveProperty('shares_subdomains')
    await change({ shares_subdomains: true })
    expect((await visit('https://shop.example')).body).toMatchObject({ shares_subdomains: true })
    expect((await visit('https://evil.example')).body).not.toHaveProperty('shares_subdomains')
  })
})

describe('recent clicks', () => {
  it('are the newest ten, and say how each came', async () => {
    const { affiliate, campaign } = scene
    for (let clicks = 0; clicks < 10; clicks++) await follow(scene, linkOf(scene))
    const { clickId } = await follow(scene, linkOf(scene))
    const unknown = await visit('https://preview.example', 'https://preview.example/?via=x')
    const known = await visit('https://www.shop.example', 'https://www.shop.example/?via=x')
    const clicks = await recent()
    expect(clicks).toHaveLength(10)
    expect(clicks.slice(0, 3)).toEqual([
      {
        id: known.body.click_id,
        created_at: expect.any(String),
        affiliate: { id: affiliate.id, name: affiliate.name ?? affiliate.email },
        campaign: { id: campaign.id, name: campaign.name },
        landing_url: 'https://www.shop.example/?via=x',
        is_bot: false,
        by_script: true,
        is_allowed: true,
      },
      expect.objectContaining({ id: unknown.body.click_id, by_script: true, is_allowed: false }),
      expect.objectContaining({ id: clickId, by_script: false, is_allowed: true }),
    ])
  })

  it('are the account’s own', async () => {
    expect(await recent(stranger)).toEqual([])
  })
})
