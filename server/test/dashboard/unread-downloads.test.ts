/** Protects other users from clients that request files and do not read them: no request is blocked, and each is closed in the end. */
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Unread } from '../../../testing/unread.ts'
import type { Tx } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { changePortal } from '../../src/programme/portal-settings/change-portal.ts'
import { buildAccount, buildCommission, buildReferral } from '../factories.ts'
import { startApp, type TestApp, useScene } from '../harness.ts'
import { PortalBrowser } from '../portal/affiliate.ts'
import { Person } from './person.ts'

/** Far more than the kernel buffers for an unread connection. */
const LINES = 12_000

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true', TRIBUTARY_EXPORT_STALL_SECONDS: '600' })
const open: Unread[] = []
let viewer: Person
let jane: PortalBrowser

beforeAll(async () => {
  const { database, place, account } = scene
  const referral_id = await buildReferral(database, place)
  await buildCommission(database, place, { referral_id })
  await database.owner.query(
    `INSERT INTO commissions (account_id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor, currency,
       payout_amount_minor, payout_currency, status, description)
     SELECT $1, $2, $3, $4, 'earned', 'affiliate', 1, 'USD', 1, 'USD', 'approved', repeat('x', 1000) FROM generate_series(1, $5) g`,
    [place.account_id, place.campaign_id, place.affiliate_id, referral_id, LINES],
  )
  await database.owner.query("UPDATE affiliates SET status = 'approved' WHERE id = $1", [place.affiliate_id])
  await changePortal(database.db, account.id, scene.app.services.baseUrl, { customers_shown: 'full' })
  viewer = await Person.join(scene.app, account.id, 'viewer')
  jane = await PortalBrowser.signIn(scene, place.affiliate_id)
})

afterEach(async () => {
  for (const each of open.splice(0)) each.leave()
  await vi.waitFor(async () => expect(await transactions()).toBe(0), { timeout: 60_000 })
})

/** Asked as the service, which may look at its own sessions. */
const transactions = async (): Promise<number> => {
  const { rows } = await scene.database.db.pool.query(
    'SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()',
  )
  return rows[0].n
}

async function unread(app: TestApp, { path, headers }: { path: string; headers: Record<string, string> }) {
  const asked = Unread.get(app.url, path, headers)
  open.push(asked.unread)
  return { status: await asked.status, unread: asked.unread }
}

const byViewer = (app = scene.app, person = viewer) => unread(app, person.request('exportCommissions'))
const byAffiliate = (app = scene.app, browser = jane) =>
  unread(app, {
    path: `/portal/${browser.slug}/api/statement.csv`,
    headers: { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  })

describe.each([
  ['a viewer', byViewer],
  ['an affiliate', byAffiliate],
])('twelve downloads that %s does not read', (_who, download) => {
  it('block no other request', async () => {
    const statuses: number[] = []
    // Two at most are sent, or one; four wait for their turn; the others are refused at once.
    for (let each = 0; each < 12; each++)
      download().then(
        ({ status }) => statuses.push(status),
        () => undefined,
      )
    await vi.waitFor(() => expect(statuses.length).toBeGreaterThanOrEqual(12 - 4 - 1), { timeout: 60_000 })
    const owner = await Person.join(scene.app, scene.account.id, 'owner')
    for (let round = 0; round < 10; round++) {
      expect((await scene.api.get('/affiliates')).status).toBe(200)
      expect((await owner.call('listCommissions')).status).toBe(200)
      expect((await owner.call('updateAccount', { body: { name: `Round ${round}` } })).status).toBe(200)
    }
    // Nor does it keep the owner from downloading a file.
    expect((await owner.call('exportTeam')).status).toBe(200)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(statuses.filter(status => status === 200).length).toBeLessThanOrEqual(2)
  })
})

describe('a download', () => {
  let quick: TestApp
  beforeAll(async () => {
    quick = await startApp(scene.database, { TRIBUTARY_EXPORT_STALL_SECONDS: '3' })
  })
  afterAll(() => quick.close())

  it('that is not read is closed, rolled back, and its connection is returned to the pool clean', async () => {
    // A response may begin before its transaction does, and takes its connection in between.
    const connections = () => scene.database.db.exportPool.totalCount - scene.database.db.exportPool.idleCount
    const { exportPool } = scene.database.db
    let taken = 0
    const take = () => taken++
    exportPool.on('acquire', take)
    onTestFinished(() => void exportPool.off('acquire', take))
    const downloads = [await byViewer(quick), await byAffiliate(quick)]
    // Counted, because on a slow machine one may be closed before the other has begun.
    await vi.waitFor(() => expect(taken).toBe(2), { timeout: 60_000 })
    await vi.waitFor(() => expect(connections()).toBe(0), { timeout: 60_000 })
    expect(await transactions()).toBe(0)
    // Reset, so that nothing waits in the kernel: only what the client had taken already is left.
    for (const { unread: stalled } of downloads)
      expect(await stalled.readSlowly(1e9, 0)).toBeLessThan(LINES * 100)
    expect((await viewer.call('exportCommissions')).text.trim().split('\n')).toHaveLength(LINES + 2)
  })

  it('that is read slowly but steadily arrives whole', async () => {
    const { path, headers } = viewer.request('exportCommissions')
    const { unread: slow } = await unread(quick, { path, headers: { ...headers, connection: 'close' } })
    const begun = performance.now()
    expect(await slow.readSlowly(512 * 1024, 150)).toBeGreaterThan(LINES * 1000)
    // Longer than the time in which a reader must take something.
    expect(performance.now() - begun).toBeGreaterThan(3000)
  })

  it('ends with its reader, even while its statement runs', async () => {
    const { database } = scene
    const locking = await database.owner.connect()
    await locking.query('BEGIN; LOCK TABLE commissions IN ACCESS EXCLUSIVE MODE')
    try {
      const { path, headers } = viewer.request('exportCommissions')
      const { unread: leaving } = await unread(scene.app, { path, headers })
      const waiting = async () => {
        const { rows } = await database.db.pool.query(
          "SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        return rows[0].n
      }
      await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 60_000 })
      leaving.leave()
      await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 60_000 })
    } finally {
      await locking.query('ROLLBACK')
      locking.release()
    }
  })

  it('waits for its turn, and is refused where too many wait already', async () => {
    const [first, second] = [await byViewer(), await byViewer()]
    expect([first.status, second.status]).toEqual([200, 200])
    const third = byViewer()
    // Another user of the account gets theirs, whatever is queued.
    const colleague = await Person.join(scene.app, scene.account.id, 'viewer')
    expect((await colleague.call('exportCommissions')).status).toBe(200)
    first.unread.leave()
    expect((await third).status).toBe(200)
    // Four are queued; the fifth gets a Retry-After.
    const refused = await Promise.race(Array.from({ length: 5 }, () => viewer.call('exportTeam')))
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited'])
    expect(refused.headers.get('retry-after')).toBe('600')
    expect(refused.body.error.message).toMatch(/downloads in progress/)
  })

  it('of affiliates never takes all there are, and one account never takes all of another’s', async () => {
    const { status } = await byAffiliate()
    expect(status).toBe(200)
    const people = await Promise.all(
      Array.from({ length: 2 }, () => Person.join(scene.app, scene.account.id, 'viewer')),
    )
    for (const person of people) expect((await byViewer(scene.app, person)).status).toBe(200)
    const other = await buildAccount(scene.database)
    const stranger = await Person.join(scene.app, other.id, 'viewer')
    expect((await stranger.call('exportCommissions')).status).toBe(200)
  })
})

it('PostgreSQL itself ends a transaction that waits for us too long', async () => {
  const { db } = scene.database
  const limit = (tx: Tx) =>
    tx.first(
      sql`SELECT current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('statement_timeout') AS statement`,
    )
  expect(await db.transaction(limit)).toEqual({ idle: '1min', statement: '0' })
  expect(await db.exports(new AbortController().signal).transaction(limit)).toEqual({
    idle: '15min',
    statement: '5min',
  })
  // It is the transaction's and not the connection's, which a pooler may hand on.
  const { rows } = await db.pool.query('SHOW idle_in_transaction_session_timeout')
  expect(rows).toEqual([{ idle_in_transaction_session_timeout: '0' }])
})

it('a file is read from a snapshot in which nothing can be written', async () => {
  const { db } = scene.database
  const write = db
    .exports(new AbortController().signal)
    .transaction(tx => tx.many(sql`UPDATE accounts SET name = 'x' WHERE id = ${scene.account.id}`))
  await expect(write).rejects.toMatchObject({ code: '25006' })
})
