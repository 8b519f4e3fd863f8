/** Requesting a link does not disclose who is known, cannot flood an inbox, and grants access only through the email. */
import type { Campaign } from '@tributary/contract'
import pg from 'pg'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { isFull } from '../../../testing/size.ts'
import { buildAccount, buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { type Scene, useScene } from '../harness.ts'
import { PortalBrowser } from './affiliate.ts'
import { type Email, emails, linkIn, noted, write } from './emails.ts'

const base = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const OPEN = { visibility: 'public', open_enrollment: true } as const
/** An account for each test: what it is sent is counted. */
let scene: Pick<Scene, 'database' | 'app' | 'account'>
let campaign: Campaign
beforeEach(async () => {
  const account = await buildAccount(base.database)
  scene = { database: base.database, app: base.app, account }
  campaign = await buildCampaign(base.database, account.id, OPEN)
})
const browser = () => new PortalBrowser(scene.app, scene.account.slug)
const address = () => `${unique('Affiliate')}@Example.com`
const known = (overrides = {}) =>
  buildAffiliate(scene.database, scene.account.id, campaign.id, { email: address(), ...overrides })
const requestSignInLink = (email: string, _extra: object = {}, by = browser()) =>
  by.call('requestSignInLink', { body: { email } })
const requestToJoin = (email: string, extra: object = {}, by = browser()) =>
  by.call('requestToJoin', { body: { email, campaign_id: campaign.id, ...extra } })
const setStatus = (id: number, status: string) =>
  scene.database.owner.query('UPDATE affiliates SET status = $2 WHERE id = $1', [id, status])

/** Whatever happened in the account was as many minutes earlier. */
const elapse = async (minutes: number) => {
  for (const [table, columns] of Object.entries({
    mails: ['created_at'],
    portal_joins: ['created_at', 'expires_at'],
    magic_links: ['expires_at'],
  }))
    await scene.database.owner.query(
      `UPDATE ${table} SET ${columns.map(each => `${each} = ${each} - $2 * interval '1 minute'`)} WHERE account_id = $1`,
      [scene.account.id, minutes],
    )
}

describe.each<[string, typeof requestSignInLink, emails: number, minutes: number]>([
  // The link of a sign-in email expires after 15 minutes, so a limit for longer would leave an inbox without one that works.
  ['a sign-in link', requestSignInLink, 2, 15],
  ['a place in a campaign', requestToJoin, 5, 60],
])('a request for %s', (_name, ask, mostEmails, minutes) => {
  it('gets the same response for every address', async () => {
    const approved = await known()
    await setStatus(approved.id, 'approved')
    const pending = await known()
    const rejected = await known()
    await setStatus(rejected.id, 'rejected')
    const answers = []
    for (const email of [approved.email, pending.email, rejected.email, address()]) {
      const { status, text, headers } = await ask(email)
      const visible = [...headers].filter(([name]) => !['date', 'request-id'].includes(name))
      answers.push({ status, text, visible })
    }
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ status: 200, text: '{}' })
    // One row either way; the address is looked up later, outside of the request.
    expect(await noted(scene)).toHaveLength(4)
    expect(await emails(scene)).toEqual([])
  })

  it('takes about as long for every address', async () => {
    const { email } = await known()
    // The same statements for every address.
    const query = vi.spyOn(pg.Client.prototype, 'query')
    onTestFinished(() => query.mockRestore())
    const statements = async (text: string) => {
      query.mockClear()
      await ask(text)
      const texts = query.mock.calls.map(([statement]: unknown[]) =>
        String((statement as { text?: string }).text ?? statement),
      )
      // The list of domains is refreshed now and then, independently of requests.
      return texts.filter(each => !each.includes('/* every account */'))
    }
    /** The fewest of three requests: now and then, the app also writes down what happened before, such as when a key was used. */
    const fewest = async (nextAddress: () => string) => {
      const runs: string[][] = []
      for (let run = 0; run < 3; run += 1) runs.push(await statements(nextAddress()))
      return runs.toSorted((one, other) => one.length - other.length)[0] as string[]
    }
    await statements(address())
    const ofKnown = await fewest(() => email)
    expect(ofKnown).toEqual(await fewest(address))
    expect(ofKnown.length).toBeGreaterThan(0)
    // The timing is meaningful only on an idle machine.
    if (!isFull) return
    query.mockRestore()
    const timed = async (text: string) => {
      const before = performance.now()
      await ask(text)
      return performance.now() - before
    }
    const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] }
    for (let round = 0; round < 60; round += 1) {
      times.known.push(await timed(email))
      times.unknown.push(await timed(address()))
    }
    const median = (list: number[]) => list.toSorted((a, b) => a - b)[list.length / 2] as number
    const [one, other] = [median(times.known), median(times.unknown)]
    expect(Math.max(one, other) / Math.min(one, other)).toBeLessThan(1.5)
  })

  it('may do so ten times a minute from one place', async () => {
    const one = browser()
    for (let round = 0; round < 10; round += 1) expect((await ask(address(), {}, one)).status).toBe(200)
    const refused = await ask(address(), {}, one)
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await requestSignInLink(address(), {}, one)).status).toBe(429)
    expect((await ask(address())).status).toBe(200)
  })

  it(`cannot flood an inbox: ${mostEmails} emails in ${minutes} minutes, for all spellings and senders`, async () => {
    const { email } = await known()
    const spellings = [email, email.toLowerCase(), email.toUpperCase()]
    for (let round = 0; round < 12; round += 1) await ask(spellings[round % 3] as string)
    // Several processes do this work, a hundred at a time each: so every one of them meets this address.
    await scene.database.owner.query(
      `INSERT INTO notices (account_id, kind, details)
       SELECT $1, n.kind, n.details || jsonb_build_object('email', CASE WHEN g % 50 = 0 THEN $2 ELSE 'unknown@example.com' END)
         FROM generate_series(1, 600) g, (SELECT kind, details FROM notices WHERE account_id = $1 LIMIT 1) n`,
      [scene.account.id, email],
    )
    await Promise.all(Array.from({ length: 4 }, () => write(scene)))
    await write(scene)
    const isTheirs = ({ to_address }: Email) => to_address.toLowerCase() === email.toLowerCase()
    expect((await emails(scene)).filter(isTheirs)).toHaveLength(mostEmails)
    await elapse(minutes - 1)
    await ask(email)
    await write(scene)
    expect((await emails(scene)).filter(isTheirs)).toHaveLength(mostEmails)
    await elapse(2)
    await ask(email)
    await write(scene)
    expect((await emails(scene)).filter(isTheirs)).toHaveLength(mostEmails + 1)
  })
})

describe('a sign-in link', () => {
  it('is sent to affiliates alone, to the address that they have, and opens behind a button', async () => {
    const pending = await known()
    const rejected = await known()
    await setStatus(rejected.id, 'rejected')
    for (const email of [pending.email.toUpperCase(), rejected.email, address()])
      await requestSignInLink(email)
    await write(scene)
    const sent = await emails(scene)
    expect(sent.map(({ kind, to_address }) => [kind, to_address])).toEqual([['sign_in_link', pending.email]])
    const link = linkIn(sent[0] as never)
    expect(link).toMatch(/\/enter\/[\w-]{43}$/)
    const one = browser()
    expect((await one.get(link)).text).not.toContain('<script')
    expect((await one.post(link)).status).toBe(303)
    expect((await one.me()).body).toMatchObject({ id: pending.id, status: 'pending' })
    expect((await browser().post(link)).status).toBe(410)
  })

  it('that works is always in the inbox, however many a stranger has asked for', async () => {
    const { email } = await known()
    for (const minutes of [0, 14, 2, 14, 2]) {
      await elapse(minutes)
      for (let round = 0; round < 5; round += 1) await requestSignInLink(email)
      await write(scene)
      const newest = (await emails(scene, email)).at(-1)
      expect((await browser().get(linkIn(newest as Email))).status).toBe(200)
    }
    expect((await browser().post(linkIn((await emails(scene, email)).at(-1) as Email))).status).toBe(303)
  })

  it('that has been used is followed by another, as on a second and third device', async () => {
    const { email } = await known()
    for (let device = 1; device <= 4; device += 1) {
      await requestSignInLink(email)
      await write(scene)
      const sent = await emails(scene, email)
      expect(sent).toHaveLength(device)
      expect((await browser().post(linkIn(sent.at(-1) as Email))).status).toBe(303)
    }
    // What has not been used is limited as before.
    for (let round = 0; round < 5; round += 1) await requestSignInLink(email)
    await write(scene)
    expect(await emails(scene, email)).toHaveLength(4 + 2)
    for (let device = 0; device < 12; device += 1) {
      await requestSignInLink(email)
      await write(scene)
      await browser().post(linkIn((await emails(scene, email)).at(-1) as Email))
    }
    expect(await emails(scene, email)).toHaveLength(8)
  })

  it('is for this account’s affiliates, not for another’s', async () => {
    const other = await buildAccount(scene.database)
    const place = await buildCampaign(scene.database, other.id)
    const { email } = await buildAffiliate(scene.database, other.id, place.id)
    await requestSignInLink(email)
    await write(scene)
    expect([await emails(scene), await emails({ ...scene, account: other })]).toEqual([[], []])
  })

  it('is not sent if the company turned these emails off', async () => {
    const { email } = await known()
    await scene.database.owner.query(
      `INSERT INTO portals (account_id, silent_mails) VALUES ($1, '{sign_in_link}')`,
      [scene.account.id],
    )
    await requestSignInLink(email)
    await write(scene)
    expect([await noted(scene), await emails(scene)]).toEqual([[], []])
  })
})
