/** Many clicks share one commit, and each visitor gets its own row's id; a failed write rejects all of them. */
import type { Affiliate, Campaign } from '@tributary/contract'
import pg from 'pg'
import { afterEach, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest'
import { ClickWriter } from '../../src/earning/tracking/click-writer.ts'
import { buildAffiliate, buildCampaign } from '../factories.ts'
import { countClicks, errorOf, type Followed, follow, linkOf, useTracking } from './scene.ts'

const scene = useTracking()
afterEach(() => {
  vi.restoreAllMocks()
})

const places: { campaign: Campaign; affiliate: Affiliate }[] = []
beforeAll(async () => {
  const { database, account } = scene
  for (let index = 0; index < 9; index++) {
    const campaign = await buildCampaign(database, account.id, {
      destination_url: `https://shop${index}.example/`,
    })
    for (let each = 0; each < 3; each++)
      places.push({ campaign, affiliate: await buildAffiliate(database, account.id, campaign.id) })
  }
})

/** Counts visitors whose clicks wait to be written, and the inserts that write them. */
function watchWrites() {
  const counts = { visitors: 0, inserts: 0, gate: Promise.resolve() }
  const { db } = scene.database
  const many = db.many.bind(db)
  vi.spyOn(db, 'many').mockImplementation((async statement => {
    if (!statement.text.includes('INSERT INTO clicks')) return many(statement)
    counts.inserts++
    await counts.gate
    return many(statement)
  }) as typeof db.many)
  const write = ClickWriter.prototype.write
  vi.spyOn(ClickWriter.prototype, 'write').mockImplementation(function (this: ClickWriter, click) {
    counts.visitors++
    return write.call(this, click)
  })
  return counts
}

/**
 * Lets no click be written until all visitors wait. Held before the pool: an insert that waits in PostgreSQL takes one of its connections
 * each second, and a slow machine would run out of them. Returns how many inserts there may be: the first to come has one to itself, one is
 * begun for each second that it waits, and all the others share the next.
 */
async function untilAllWait(counts: ReturnType<typeof watchWrites>, visitors: number, send: () => void) {
  let open = () => {}
  counts.gate = new Promise<void>(resolve => {
    open = resolve
  })
  const begun = performance.now()
  try {
    send()
    await expect.poll(() => counts.visitors).toBe(visitors)
    // Timers leave out what is less than a millisecond.
    return 2 + Math.floor((performance.now() - begun) / 999)
  } finally {
    open()
  }
}

it('500 visitors at once: 500 rows, each with its own, in a few writes', async () => {
  const counts = watchWrites()
  const answers: Promise<Followed>[] = []
  const mostInserts = await untilAllWait(counts, 500, () => {
    for (let n = 0; n < 500; n++) {
      const { campaign, affiliate } = places[n % places.length] as (typeof places)[number]
      const path = `/r/${scene.account.slug}/${affiliate.token}/${campaign.slug}?to=/${n}`
      answers.push(follow(scene, path, { referer: `https://blog.example/${n}` }))
    }
  })
  const followed = await Promise.all(answers)
  expect(new Set(followed.map(({ clickId }) => clickId)).size).toBe(500)
  expect(counts.inserts).toBeLessThanOrEqual(mostInserts)

  const { rows } = await scene.database.owner.query(
    'SELECT id, campaign_id, affiliate_id, landing_url, referrer FROM clicks ORDER BY id',
  )
  const expected = followed.map(({ clickId }, n) => {
    const { campaign, affiliate } = places[n % places.length] as (typeof places)[number]
    return {
      id: String(clickId),
      campaign_id: String(campaign.id),
      affiliate_id: String(affiliate.id),
      landing_url: `${campaign.destination_url}${n}`,
      referrer: `https://blog.example/${n}`,
    }
  })
  expect(rows).toEqual(expected.toSorted((a, b) => Number(a.id) - Number(b.id)))
})

it('a single visitor does not wait: one write', async () => {
  const counts = watchWrites()
  expect((await follow(scene, linkOf(scene))).status).toBe(302)
  expect(counts.inserts).toBe(1)
})

it('a write that fails is 503 for all who waited for it, with no row; the next visitor arrives', async () => {
  const admin = new pg.Client({ ...inject('postgres').admin, database: scene.database.service.database })
  await admin.connect()
  onTestFinished(() => admin.end())
  /** Ends the connections that wait to insert, as a restart of PostgreSQL would. */
  const cutWriters = () =>
    admin.query(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO clicks%' AND pid <> pg_backend_pid()`)
  const before = await countClicks(scene)
  const counts = watchWrites()
  const answers: Promise<Followed>[] = []
  const holder = await scene.database.owner.connect()
  try {
    await holder.query('BEGIN; LOCK TABLE clicks IN SHARE MODE')
    const mostInserts = await untilAllWait(counts, 21, () => {
      for (let n = 0; n < 21; n++) answers.push(follow(scene, linkOf(scene), { accept: 'application/json' }))
    })
    let isOver = false
    const all = Promise.all(answers).finally(() => {
      isOver = true
    })
    while (!isOver) await cutWriters()
    expect(counts.inserts).toBeLessThanOrEqual(mostInserts)
    for (const { status, location, body, headers } of await all) {
      expect({ status, location, body }).toEqual({
        status: 503,
        location: undefined,
        body: errorOf('unavailable'),
      })
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    }
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
  expect(await countClicks(scene)).toBe(before)
  expect((await follow(scene, linkOf(scene))).status).toBe(302)
  expect(await countClicks(scene)).toBe(before + 1)
})
