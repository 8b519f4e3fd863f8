// What one operation writes: rows, index entries and bytes of the write-ahead log. Index entries are what a write costs most: each is a
// descent of a tree, and a page of it in the log after every checkpoint.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fill } from '../testing/fill.js'
import { queueEvents } from './deliver.js'
import { settle, subscribe, withOwner, withService } from './service.js'
import { forked, round, withSilentReceiver } from './side-by-side.js'

const size = { affiliates: 10_000, commissions: 50_000, clicks: 500_000, varied: false }
const SECONDS = 4
/** An idle connection reports its statistics after ten seconds at the latest. */
const STATISTICS_MS = 11_000
const DELIVERIES = 1000

/** The rate limiter's table is not in the log, and its writes depend on time instead of on operations. */
const COUNTERS = `
  SELECT t.relname AS table, n_tup_ins AS inserted, n_tup_upd AS updated, n_tup_hot_upd AS hot, n_tup_del AS deleted
    FROM pg_stat_user_tables t JOIN pg_class c ON c.oid = t.relid WHERE c.relpersistence = 'p'`
const INDEXES = `
  SELECT c.relname AS table, i.indexrelid::regclass::text AS index, pg_get_expr(i.indpred, i.indrelid) AS predicate
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_stat_user_tables t ON t.relid = c.oid WHERE c.relkind = 'r'`

/** The tables' counters, the indexes with the number of rows that they cover, and the position in the log. */
async function snapshot(owner) {
  const log = (await owner.query(`SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`)).rows[0].bytes
  await sleep(STATISTICS_MS)
  await owner.query('SELECT pg_stat_force_next_flush()')
  const counters = new Map(
    (await owner.query(COUNTERS)).rows.map(({ table, ...counts }) => [
      table,
      Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)])),
    ]),
  )
  const indexes = []
  for (const { table, index, predicate } of (await owner.query(INDEXES)).rows) {
    const count = `SELECT count(*) AS "all", count(*) FILTER (WHERE ${predicate ?? true}) AS covered FROM ${table}`
    const { rows } = predicate ? await owner.query(count) : { rows: [{ all: 0, covered: 0 }] }
    indexes.push({
      ...{ table, index, partial: predicate !== null },
      ...{ all: Number(rows[0].all), covered: Number(rows[0].covered) },
    })
  }
  const fullPages = (await owner.query('SELECT wal_fpi FROM pg_stat_wal')).rows[0].wal_fpi
  return { log: Number(log), fullPages: Number(fullPages), counters, indexes }
}

/** The share of the written rows that an index covers: of the added ones or, if none were added, of all. */
function covered(before, after) {
  if (!after.partial) return 1
  const added = after.all - (before?.all ?? 0)
  return added > 0 ? (after.covered - (before?.covered ?? 0)) / added : after.covered / Math.max(1, after.all)
}

/** The difference of two snapshots, for each operation. An operation inserts one row into this table. */
function difference(before, after, countedBy) {
  const inserted = ({ counters }) =>
    [...counters].reduce((sum, [table, counts]) => sum + (countedBy.test(table) ? counts.inserted : 0), 0)
  const operations = inserted(after) - inserted(before)
  const each = number => Number((number / operations).toFixed(2))
  const totals = { inserted: 0, updated: 0, deleted: 0, index_entries: 0 }
  const tables = []
  for (const [table, counts] of after.counters) {
    const known = before.counters.get(table)
    const more = name => counts[name] - (known?.[name] ?? 0)
    // An update in place (heap-only tuple) writes to no index.
    const versions = more('inserted') + more('updated') - more('hot')
    const entries = after.indexes
      .filter(index => index.table === table)
      .map(index =>
        covered(
          before.indexes.find(same => same.index === index.index),
          index,
        ),
      )
      .reduce((sum, share) => sum + share * versions, 0)
    for (const name of ['inserted', 'updated', 'deleted']) totals[name] += more(name)
    totals.index_entries += entries
    if (each(entries) >= 0.1) tables.push(`${table} ${each(entries)}`)
  }
  return {
    ...Object.fromEntries(Object.entries(totals).map(([name, total]) => [name, each(total)])),
    wal_bytes: Math.round((after.log - before.log) / operations),
    full_pages: each(after.fullPages - before.fullPages),
    entries_of: tables.join(', '),
  }
}

/** Runs `work` between two snapshots. */
const written = (dataDir, countedBy, work) =>
  withOwner(dataDir, async owner => {
    const before = await snapshot(owner)
    await work()
    return difference(before, await snapshot(owner), countedBy)
  })

/** Each kind of request, after a warm-up of the same. */
async function ofRequests(service, { connections }, name, countedBy) {
  const load = forked('load.js')
  try {
    const job = { name, url: service.url, keys: service.keys, connections, seconds: SECONDS, ...size }
    await round(load, job)
    await settle(service.dataDir)
    return await written(service.dataDir, countedBy, () => round(load, job))
  } finally {
    load.kill()
  }
}

/** A delivery from its claim to its recorded result. Its event and itself were written before. */
async function ofDeliveries(service) {
  const receiver = forked('receiver.js')
  try {
    const [{ url }] = await once(receiver, 'message')
    await subscribe(service, url, 'promoter.approved')
    return await withOwner(service.dataDir, async owner => {
      await queueEvents(owner, DELIVERIES, STATISTICS_MS + 4000)
      return written(service.dataDir, /^delivery_attempts$/, async () => {
        for (;;) {
          const { rows } = await owner.query(`SELECT 1 FROM deliveries WHERE status = 'pending' LIMIT 1`)
          if (rows.length === 0) return
          await sleep(100)
        }
      })
    })
  } finally {
    receiver.kill()
  }
}

export const writes = async options => {
  const requests = await withService(
    owner => fill(owner, size),
    service =>
      withSilentReceiver(service, async () => {
        const results = []
        for (const [what, name, countedBy] of [
          ['conversion', 'conversion', /^conversions$/],
          ['sale', 'sale', /^sales$/],
          ['click', 'click-many', /^clicks_/],
        ])
          results.push({ what, ...(await ofRequests(service, options, name, countedBy)) })
        return results
      }),
  )
  const delivery = await withService(async () => undefined, ofDeliveries)
  return [...requests, { what: 'delivery', ...delivery }]
}
