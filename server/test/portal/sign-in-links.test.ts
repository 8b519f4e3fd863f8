/** Row 11: a sign-in link works once and in time, however many requests and scanners use it first. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { reportMeasurement } from '../../../testing/size.ts'
import { type Answer, untilTaken } from '../client.ts'
import { buildAccount, buildAffiliate, type TestAccount } from '../factories.ts'
import { useScene } from '../harness.ts'
import { countRows } from '../ledger/scene.ts'
import { linkFor, PortalBrowser } from './affiliate.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
let affiliateId: number
beforeEach(async () => {
  const { id } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
  affiliateId = id
})
const browser = (account: Pick<TestAccount, 'slug'> = scene.account) =>
  new PortalBrowser(scene.app, account.slug)
const sessions = () => countRows(scene, 'portal_sessions', 'affiliate_id = $1', [affiliateId])
const usedLinks = () =>
  countRows(scene, 'magic_links', 'affiliate_id = $1 AND used_at IS NOT NULL', [affiliateId])
const refusal = /This link is no longer valid/

/** Sends 1,000 requests from different addresses, with a fixed concurrency. */
async function requestFromManyAddresses(link: string, atOnce: number): Promise<Answer[]> {
  const answers: Answer[] = []
  let left = 1000
  const requestLoop = async () => {
    while (left-- > 0) answers.push(await untilTaken(() => browser().post(link)))
  }
  await Promise.all(Array.from({ length: atOnce }, requestLoop))
  return answers
}

describe('one link', () => {
  it('works once, after 100 scanners and for 1,000 concurrent requests from different addresses', async () => {
    const link = await linkFor(scene, affiliateId)
    const looks = await Promise.all(
      Array.from({ length: 100 }, (_, index) => browser().send(index % 2 ? 'HEAD' : 'GET', link)),
    )
    expect(new Set(looks.map(({ status }) => status))).toEqual(new Set([200]))
    expect(looks.flatMap(({ headers }) => headers.getSetCookie())).toEqual([])
    expect([await usedLinks(), await sessions()]).toEqual([0, 0])

    const responses = await requestFromManyAddresses(link, 200)
    const statuses = responses.map(({ status }) => status)
    const opened = statuses.filter(status => status === 303).length
    reportMeasurement({
      row: 11,
      what: 'sessions of 1,000 requests',
      value: opened,
      bar: '1',
      holds: opened === 1,
    })
    expect(opened).toBe(1)
    expect(statuses.filter(status => status === 410)).toHaveLength(999)
    for (const { status, text, headers } of responses)
      if (status === 410) expect([refusal.test(text), headers.getSetCookie()]).toEqual([true, []])
    expect([await usedLinks(), await sessions()]).toEqual([1, 1])
  })

  it('works once for 1,000 concurrent requests from one address, which is soon rate limited', async () => {
    const link = await linkFor(scene, affiliateId)
    const one = browser()
    const responses = await Promise.all(Array.from({ length: 1000 }, () => untilTaken(() => one.post(link))))
    const count = (wanted: number) => responses.filter(({ status }) => status === wanted).length
    expect([count(303), count(303) + count(410) + count(429)]).toEqual([1, 1000])
    expect(count(429)).toBeGreaterThan(900)
    const refused = responses.find(({ status }) => status === 429)
    expect(refused?.text).toMatch(refusal)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await sessions()).toBe(1)

    // A valid link from another address still works.
    expect((await browser().post(await linkFor(scene, affiliateId))).status).toBe(303)
  })

  it('a wrong one is refused after 20 a minute, and a right one works all the same', async () => {
    const one = browser()
    for (let round = 0; round < 25; round += 1)
      expect((await one.post(await linkFor(scene, affiliateId))).status).toBe(303)
    const wrong = `/portal/${scene.account.slug}/sign-in/${'x'.repeat(43)}`
    for (let round = 0; round < 20; round += 1) expect((await one.post(wrong)).status).toBe(410)
    expect((await one.post(wrong)).status).toBe(429)
    expect((await one.post(await linkFor(scene, affiliateId))).status).toBe(303)
    expect((await one.get(await linkFor(scene, affiliateId))).status).toBe(200)
    expect((await one.post(wrong)).status).toBe(429)
  })

  it('does not invalidate earlier ones, and every sign-in has its own session', async () => {
    const links = [await linkFor(scene, affiliateId), await linkFor(scene, affiliateId)]
    const one = browser()
    const names: string[] = []
    for (const link of links) {
      const { status, headers } = await one.post(link)
      expect([status, headers.get('location')]).toEqual([303, `/portal/${scene.account.slug}`])
      names.push(...one.cookies.values())
    }
    expect(new Set(names).size).toBe(2)
    for (const name of names) expect(links.join()).not.toContain(name)
  })
})

const changeLink = (set: string) =>
  scene.database.owner.query(`UPDATE magic_links SET ${set} WHERE affiliate_id = $1`, [affiliateId])

describe('a link that does not open', () => {
  let other: TestAccount
  beforeEach(async () => {
    other = await buildAccount(scene.database)
  })
  const cases: Record<string, (link: string) => Promise<string>> = {
    'is too old': async link => {
      await changeLink('expires_at = now()')
      return link
    },
    'was used': async link => {
      expect((await browser().post(link)).status).toBe(303)
      return link
    },
    'was never created': async link => link.replace(/.{43}$/, 'A'.repeat(43)),
    'is truncated': async link => link.slice(0, -1),
    'holds a NUL': async link => `${link}%00`,
    'is very long': async link => link + 'x'.repeat(10_000),
    'belongs to another account': async link => link.replace(scene.account.slug, other.slug),
    'belongs to a rejected affiliate': async link => {
      await scene.api.patch(`/affiliates/${affiliateId}`, { status: 'rejected' })
      return link
    },
    'is a confirmation of nothing': async link => link.replace('/sign-in/', '/confirm/'),
  }
  it.each(Object.entries(cases))('%s', async (_name, spoil) => {
    const link = await spoil(await linkFor(scene, affiliateId))
    const before = [await sessions(), await usedLinks()]
    // The page shows the error before the form is submitted.
    for (const method of ['GET', 'POST']) {
      const { status, text, headers } = await browser().send(method, link)
      expect([method, status, headers.getSetCookie()]).toEqual([method, 410, []])
      expect(text).toMatch(refusal)
      expect(text).toContain(`href="/portal/${link.split('/')[2]}/sign-in"`)
      expect(text).not.toMatch(/<form|<script/)
    }
    expect([await sessions(), await usedLinks()]).toEqual(before)
  })

  it('in a portal that does not exist is not found', async () => {
    for (const slug of ['unknown', '%00', 'a%2Fb', 'x'.repeat(5000)])
      for (const method of ['GET', 'POST'])
        expect((await browser().send(method, `/portal/${slug}/sign-in/abc`)).status).toBe(404)
  })
})

describe('time is the database’s', () => {
  afterEach(() => {
    vi.useRealTimers()
  })
  const pretend = (hours: number) =>
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })

  it('a fast clock ends no link early, and a slow one revives none', async () => {
    const good = await linkFor(scene, affiliateId)
    pretend(2)
    const one = browser()
    expect((await one.post(good)).status).toBe(303)
    expect((await one.me()).status).toBe(200)
    vi.useRealTimers()
    const old = await linkFor(scene, affiliateId)
    await changeLink(`expires_at = now() - interval '1 second'`)
    pretend(-2)
    expect((await browser().post(old)).status).toBe(410)
  })

  it('a link lasts 15 minutes', async () => {
    await linkFor(scene, affiliateId)
    const { rows } = await scene.database.owner.query(
      'SELECT extract(epoch FROM expires_at - now()) AS seconds FROM magic_links WHERE affiliate_id = $1',
      [affiliateId],
    )
    expect(Number(rows[0].seconds)).toBeGreaterThan(890)
    expect(Number(rows[0].seconds)).toBeLessThanOrEqual(900)
  })
})

it.each<[name: string, headers: Record<string, string | undefined>, status: number]>([
  ['our own page', { 'sec-fetch-site': 'same-origin' }, 303],
  ['our own page, which hides its origin', { 'sec-fetch-site': 'same-origin', origin: 'null' }, 303],
  ['a person who typed the address', { 'sec-fetch-site': 'none' }, 303],
  ['another site', { 'sec-fetch-site': 'cross-site' }, 401],
  ['another host of the same site', { 'sec-fetch-site': 'same-site' }, 401],
  ['an old browser on our page', { origin: undefined }, 303],
  ['an old browser on another site', { origin: 'https://evil.example' }, 401],
  ['something that is no origin', { origin: 'evil' }, 401],
])('a form sent from %s', async (_name, headers, status) => {
  const link = await linkFor(scene, affiliateId)
  expect((await browser().post(link, headers)).status).toBe(status)
  expect(await usedLinks()).toBe(status === 303 ? 1 : 0)
})
