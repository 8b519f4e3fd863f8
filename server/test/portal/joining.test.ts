/** Joining requires a confirmed address, never readmits a rejected affiliate, and happens once. */
import type { Campaign } from '@tributary/contract'
import type { CampaignStatus } from '@tributary/contract/dashboard'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { confirmJoin, joinCampaign } from '../../src/portal/join.ts'
import { setCampaignStatus } from '../../src/programme/campaigns/set-campaign-status.ts'
import { updateCampaign } from '../../src/programme/campaigns/update-campaign.ts'
import { buildAccount, buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { type Scene, useScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { countRows } from '../ledger/scene.ts'
import { PortalBrowser } from './affiliate.ts'
import { emails, linkIn, noted, write } from './emails.ts'

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
const requestToJoin = (email: string, extra: object = {}, by = browser()) =>
  by.call('requestToJoin', { body: { email, campaign_id: campaign.id, ...extra } })
const setStatus = (id: number, status: string) =>
  scene.database.owner.query('UPDATE affiliates SET status = $2 WHERE id = $1', [id, status])
const affiliates = async () =>
  (
    await scene.database.owner.query(
      `SELECT a.id::integer, a.email, a.name, a.status, array_agg(e.campaign_id::integer ORDER BY e.id) AS campaigns
         FROM affiliates a LEFT JOIN enrolments e ON e.affiliate_id = a.id
        WHERE a.account_id = $1 GROUP BY a.account_id, a.id ORDER BY a.id`,
      [scene.account.id],
    )
  ).rows

/** Requests to join and follows the email to the page with the button. */
async function confirmation(email: string, extra: object = {}): Promise<string> {
  expect((await requestToJoin(email, extra)).status).toBe(200)
  await write(scene)
  const confirmations = (await emails(scene, email)).filter(({ kind }) => kind === 'confirm_join')
  return linkIn(confirmations.at(-1) as never)
}

describe('joining', () => {
  it('creates no affiliate before the address is confirmed, then a pending one', async () => {
    const email = address()
    const link = await confirmation(email, { name: 'Jane <b>Doe</b>' })
    expect(await affiliates()).toEqual([])
    const one = browser()
    expect((await one.get(link)).status).toBe(200)
    expect(await affiliates()).toEqual([])
    expect((await one.post(link)).status).toBe(303)
    expect(await affiliates()).toMatchObject([
      { email, name: 'Jane <b>Doe</b>', status: 'pending', campaigns: [campaign.id] },
    ])
    expect((await one.me()).body).toMatchObject({
      email,
      status: 'pending',
      is_fresh: true,
      campaigns: [{ id: campaign.id }],
    })
    await write(scene)
    expect((await emails(scene, email)).map(({ kind }) => kind)).toEqual(['confirm_join', 'joined'])
    expect((await browser().post(link)).status).toBe(410)
    expect(await countRows(scene as Scene, 'portal_sessions', 'account_id = $1', [scene.account.id])).toBe(1)
  })

  it('happens once, however often the button is pressed at once', async () => {
    const link = await confirmation(address())
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await browser().post(link)).status),
    )
    expect(statuses.toSorted()).toEqual([303, ...Array.from({ length: 19 }, () => 410)])
    await write(scene)
    expect((await emails(scene)).map(({ kind }) => kind)).toEqual(['confirm_join', 'joined'])
  })

  it('signs an existing affiliate in, enrols them, and changes nothing else', async () => {
    const elsewhere = await buildCampaign(scene.database, scene.account.id)
    const email = address()
    const { id } = await buildAffiliate(scene.database, scene.account.id, elsewhere.id, {
      email,
      name: 'Jane',
    })
    await setStatus(id, 'approved')
    const one = browser()
    const link = await confirmation(email, { name: 'Mallory' })
    expect((await one.post(link)).status).toBe(303)
    expect(await affiliates()).toEqual([
      { id, email, name: 'Jane', status: 'approved', campaigns: [elsewhere.id, campaign.id] },
    ])
    expect((await one.me()).body).toMatchObject({ id, status: 'approved' })
    // Doing it again signs in without another email.
    expect((await browser().post(await confirmation(email))).status).toBe(303)
    await write(scene)
    expect((await emails(scene)).filter(({ kind }) => kind === 'joined')).toHaveLength(1)
  })

  it.each<[string, Partial<Campaign>]>([
    ['closed and private', { visibility: 'private', open_enrollment: false }],
    ['closed', { visibility: 'public', open_enrollment: false }],
  ])('a %s campaign is refused, asked for or closed meanwhile', async (_name, terms) => {
    const shut = await buildCampaign(scene.database, scene.account.id, terms)
    expect((await requestToJoin(address(), { campaign_id: shut.id })).status).toBe(422)
    const link = await confirmation(address())
    await scene.database.owner.query(
      'UPDATE campaigns SET visibility = $2, open_enrollment = $3 WHERE id = $1',
      [campaign.id, terms.visibility, terms.open_enrollment],
    )
    expect((await browser().post(link)).status).toBe(410)
    expect(await affiliates()).toEqual([])
    const insider = await known()
    const jane = await PortalBrowser.signIn(scene, insider.id)
    for (const id of [shut.id, campaign.id])
      expect((await jane.call('joinCampaign', { id })).status).toBe(404)
  })

  it('a refused confirmation can be used once the campaign is active again', async () => {
    const link = await confirmation(address())
    const set = (db: Db, status: CampaignStatus) =>
      setCampaignStatus(db, scene.account.id, campaign.id, status)
    const refused = await whileHeld(
      scene.database,
      tx => set(tx, 'paused'),
      () => browser().post(link),
    )
    expect([refused.status, (await browser().post(link)).status]).toEqual([410, 410])
    await set(scene.database.db, 'active')
    expect((await browser().post(link)).status).toBe(303)
    expect(await affiliates()).toHaveLength(1)
  })

  describe('a campaign at the same moment', () => {
    const stops: [string, (db: Db) => Promise<unknown>][] = [
      ['paused', each => setCampaignStatus(each, scene.account.id, campaign.id, 'paused')],
      ['closed', each => updateCampaign(each, scene.account.id, campaign.id, { open_enrollment: false })],
    ]
    const joins: [string, () => Promise<(db: Db) => Promise<unknown>>][] = [
      [
        'by confirming',
        async () => {
          const link = await confirmation(address())
          return each => confirmJoin(each, scene.account.id, link.split('/').at(-1) as string, null)
        },
      ],
      [
        'in the portal',
        async () => {
          const elsewhere = await buildCampaign(scene.database, scene.account.id)
          const { id } = await buildAffiliate(scene.database, scene.account.id, elsewhere.id)
          return each => joinCampaign(each, scene.account.id, id, campaign.id, undefined)
        },
      ],
    ]
    const cases = joins.flatMap(([how, join]) => stops.map(([what, stop]) => ({ how, what, join, stop })))
    const enrolled = () => countRows(scene as Scene, 'enrolments', 'campaign_id = $1', [campaign.id])
    /** Whether the campaign is stopped, as the one who waits sees it. */
    const isStopped = async () =>
      (await countRows(
        scene as Scene,
        'campaigns',
        `id = $1 AND (status <> 'active' OR NOT open_enrollment)`,
        [campaign.id],
      )) === 1

    it.each(cases)('that is being $what is not joined $how', async ({ join, stop }) => {
      const enter = await join()
      const before = await enrolled()
      const late = whileHeld(scene.database, stop, () => enter(scene.database.db).catch(() => undefined))
      expect(await late).toBeUndefined()
      expect(await enrolled()).toBe(before)
    })

    it.each(cases)('that is being joined $how is $what after that', async ({ join, stop }) => {
      const enter = await join()
      const before = await enrolled()
      await whileHeld(
        scene.database,
        enter,
        () => stop(scene.database.db),
        async () => expect(await isStopped()).toBe(false),
      )
      expect([await enrolled(), await isStopped()]).toEqual([before + 1, true])
    })
  })

  it('another account’s campaign is none', async () => {
    const other = await buildAccount(scene.database)
    const theirs = await buildCampaign(scene.database, other.id, OPEN)
    expect((await requestToJoin(address(), { campaign_id: theirs.id })).status).toBe(422)
    expect(await noted(scene)).toEqual([])
  })

  it('a rejected affiliate gets no email, no enrolment and no session', async () => {
    const elsewhere = await buildCampaign(scene.database, scene.account.id, OPEN)
    const { id, email } = await known()
    const link = await confirmation(email, { campaign_id: elsewhere.id })
    await setStatus(id, 'rejected')
    const refused = await browser().post(link)
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([410, []])
    expect(await affiliates()).toMatchObject([{ id, status: 'rejected', campaigns: [campaign.id] }])
    await requestToJoin(email, { campaign_id: elsewhere.id })
    await write(scene)
    expect((await emails(scene)).map(({ kind }) => kind)).toEqual(['confirm_join'])
  })

  it('a confirmation lasts a day, and opens its own account’s portal alone', async () => {
    const link = await confirmation(address())
    const other = await buildAccount(scene.database)
    expect((await browser().post(link.replace(scene.account.slug, other.slug))).status).toBe(410)
    await scene.database.owner.query('UPDATE portal_joins SET expires_at = now() WHERE account_id = $1', [
      scene.account.id,
    ])
    expect((await browser().post(link)).status).toBe(410)
    expect(await affiliates()).toEqual([])
  })

  it('affiliates join further campaigns, once', async () => {
    const second = await buildCampaign(scene.database, scene.account.id, { ...OPEN, name: 'Second' })
    const { id } = await known()
    const jane = await PortalBrowser.signIn(scene, id)
    const joined = async () =>
      (await jane.ask('listCampaigns')).data.map((each: { id: number; is_joined: boolean }) => [
        each.id,
        each.is_joined,
      ])
    expect(await joined()).toEqual([
      [campaign.id, true],
      [second.id, false],
    ])
    await Promise.all([1, 2, 3].map(() => jane.ask('joinCampaign', { id: second.id })))
    expect(await joined()).toEqual([
      [campaign.id, true],
      [second.id, true],
    ])
    await write(scene)
    expect((await emails(scene)).map(({ kind }) => kind)).toEqual(['joined'])
  })
})

it('names with markup are escaped in emails and pages', async () => {
  const nasty = `<img src=x onerror="alert(1)"></script><script>alert('&amp;')</script>`
  await scene.database.owner.query('INSERT INTO portals (account_id, name) VALUES ($1, $2)', [
    scene.account.id,
    nasty,
  ])
  await scene.database.owner.query('UPDATE campaigns SET name = $2 WHERE id = $1', [campaign.id, nasty])
  const link = await confirmation(address(), { name: nasty })
  const one = browser()
  const pages = [
    await one.get(link),
    await one.get(`/portal/${scene.account.slug}/join`),
    await one.post(link),
  ]
  pages.push(await browser().post(link))
  await write(scene)
  const sent = await emails(scene)
  expect(sent).toHaveLength(2)
  for (const html of [...pages.map(({ text }) => text), ...sent.map(({ html_body }) => html_body)]) {
    expect(html).not.toMatch(/<img src=x|<script>alert|onerror="/)
    // What a page's script reads is data that cannot end early.
    expect(html).not.toMatch(/<\/script><script>/)
  }
})
