/**
 * Protects affiliates on the leaderboard: there is none unless the company shows it, no one is named who hasn't chosen to be, an email is
 * never shown, and the numbers of others only if the company allows it.
 */
import type { Leaderboard } from '@tributary/contract/portal'
import { beforeAll, expect, it } from 'vitest'
import { changePortal } from '../../src/programme/portal-settings/change-portal.ts'
import { Person } from '../dashboard/person.ts'
import { buildAccount, buildAffiliate, buildCampaign, buildCommission, buildReferral } from '../factories.ts'
import { useScene } from '../harness.ts'
import { PortalBrowser } from './affiliate.ts'

const scene = useScene()
const now = () => new Date().toISOString()
const show = (leaderboard: 'conversions' | 'commissions' | null, leaderboard_numbers = false) =>
  changePortal(scene.database.db, scene.account.id, scene.app.services.baseUrl, {
    leaderboard,
    leaderboard_numbers,
  })

/** Ann has three conversions and Ben two; Cem has one that earned the most; Dot has none, and Eve is no longer approved. */
const affiliates = {
  Ann: { conversions: 3, earned: 100 },
  Ben: { conversions: 2, earned: 200 },
  Cem: { conversions: 1, earned: 900 },
  Dot: { conversions: 0, earned: 0 },
  Eve: { conversions: 9, earned: 999 },
}
type Name = keyof typeof affiliates
const browsers = {} as Record<Name, PortalBrowser>

beforeAll(async () => {
  const { database, account, place } = scene
  for (const [name, { conversions, earned }] of Object.entries(affiliates)) {
    const { id } = await buildAffiliate(database, account.id, place.campaign_id, { name })
    const setStatus = (status: string) => scene.api.patch(`/affiliates/${id}`, { status })
    await setStatus('approved')
    browsers[name as Name] = await PortalBrowser.signIn(scene, id)
    for (let n = 0; n < conversions; n++) {
      const own = { ...place, affiliate_id: id }
      const referral_id = await buildReferral(database, own, { occurred_at: now() })
      await buildCommission(database, own, {
        referral_id,
        amount_minor: earned,
        payout_amount_minor: earned,
        created_at: now(),
      })
    }
    if (name === 'Eve') await setStatus('rejected')
  }
})

const boardOf = async (name: Name): Promise<Leaderboard | null> =>
  (await browsers[name].ask('getLeaderboard')).leaderboard
const rowsOf = async (name: Name) =>
  (await boardOf(name))?.rows.map(row => [row.place, row.name, row.is_me, row.value])
const choose = (name: Name, shown_as: string, nickname?: string | null) =>
  browsers[name].call('changeLeaderboardName', { body: { shown_as, nickname } })

it('is off by default, and then has no name to choose', async () => {
  expect(await boardOf('Ann')).toBe(null)
  expect((await choose('Ann', 'name')).status).toBe(404)
})

it('ranks by conversions or commissions; others are hidden, and have no numbers', async () => {
  await show('conversions')
  expect(await rowsOf('Ben')).toEqual([
    [1, null, false, null],
    [2, null, true, 2],
    [3, null, false, null],
  ])
  await show('commissions')
  const board = await boardOf('Ben')
  expect([board?.by, board?.currency, board?.shown_as]).toEqual(['commissions', 'USD', 'hidden'])
  expect(await rowsOf('Ben')).toEqual([
    [1, null, false, null],
    [2, null, true, 400],
    [3, null, false, null],
  ])
  expect((await rowsOf('Dot'))?.some(([, , isMe]) => isMe)).toBe(false)
})

it('shows everyone’s numbers if the company allows it', async () => {
  await show('conversions', true)
  expect(await rowsOf('Dot')).toEqual([
    [1, null, false, 3],
    [2, null, false, 2],
    [3, null, false, 1],
  ])
})

it('is for approved affiliates only: anyone can join and wait for a review', async () => {
  await show('conversions', true)
  const { database, account, place } = scene
  const { id } = await buildAffiliate(database, account.id, place.campaign_id, { name: 'Fay' })
  const pending = await PortalBrowser.signIn(scene, id)
  expect((await pending.ask('getLeaderboard')).leaderboard).toBe(null)
  const admin = await Person.join(scene.app, account.id, 'admin')
  const view = new PortalBrowser(scene.app, account.slug)
  const { url } = (await admin.call('viewAsAffiliate', { id })).body
  expect((await view.post(new URL(url).pathname)).status).toBe(303)
  expect((await view.ask('getLeaderboard')).leaderboard).toBe(null)
  await scene.api.patch(`/affiliates/${id}`, { status: 'approved' })
  expect((await pending.ask('getLeaderboard')).leaderboard.rows).toHaveLength(3)
})

it('names those who choose so, by their name or a nickname, until they hide again', async () => {
  await show('conversions')
  await choose('Ann', 'name')
  await choose('Ben', 'nickname', ' Big Ben ')
  expect((await rowsOf('Cem'))?.map(([, name]) => name)).toEqual(['Ann', 'Big Ben', null])
  expect((await boardOf('Ben'))?.nickname).toBe('Big Ben')
  await choose('Ann', 'hidden')
  await choose('Ben', 'name')
  expect((await rowsOf('Cem'))?.map(([, name]) => name)).toEqual([null, 'Ben', null])
  await browsers.Ben.call('updateMe', { body: { name: null } })
  expect((await rowsOf('Cem'))?.map(([, name]) => name)).toEqual([null, null, null])
})

it('shows the first twenty, and an affiliate’s own place after them; equals share a place', async () => {
  await show('conversions')
  const { database, account } = scene
  const other = await buildAccount(database)
  const theirs = await buildCampaign(database, other.id)
  for (let n = 0; n < 21; n++) {
    const { id } = await buildAffiliate(database, account.id, scene.place.campaign_id)
    await scene.api.patch(`/affiliates/${id}`, { status: 'approved' })
    for (let m = 0; m < 2; m++)
      await buildReferral(database, { ...scene.place, affiliate_id: id }, { occurred_at: now() })
    // Another account's are not counted.
    const stranger = await buildAffiliate(database, other.id, theirs.id)
    const place = { account_id: other.id, campaign_id: theirs.id, affiliate_id: stranger.id }
    await buildReferral(database, place, { occurred_at: now() })
  }
  const rows = await rowsOf('Cem')
  expect(rows?.map(([place]) => place)).toEqual([1, ...Array.from({ length: 19 }, () => 2), 24])
  expect(rows?.at(-1)).toEqual([24, null, true, 1])
})

it.each([
  ['a nickname of nothing', { shown_as: 'nickname', nickname: ' ' }],
  ['none', { shown_as: 'nickname' }],
  ['one that is too long', { shown_as: 'nickname', nickname: 'x'.repeat(41) }],
  ['one of two lines', { shown_as: 'nickname', nickname: 'a\nb' }],
  ['another choice', { shown_as: 'email' }],
])('refuses %s', async (_what, body) => {
  await show('conversions')
  expect((await browsers.Ann.call('changeLeaderboardName', { body })).status).toBe(422)
})
