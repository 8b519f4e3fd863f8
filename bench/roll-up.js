// What keeping the roll-ups costs: what the rounds of a benchmark left is moved into the past, and its day is rolled up.
import { setTimeout as sleep } from 'node:timers/promises'
import { settle, withOwner } from './service.js'
import { processorMeter } from './usage.js'

const POLL_MS = 500
const LONGEST_MS = 60_000

/** What is counted of each benchmark's requests, by the column of its time. The last one has a row for each. */
const counted = {
  click: { clicks: 'created_at' },
  'click-many': { clicks: 'created_at' },
  sale: { commissions: 'created_at', sales: 'occurred_at' },
}

/** Two days: the day before is open until an hour past midnight. Returns the number of rows. */
const moveToPast = (dataDir, columns) =>
  withOwner(dataDir, async owner => {
    let moved = 0
    for (const [table, column] of Object.entries(columns)) {
      await owner.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
      const { rowCount } = await owner.query(
        `UPDATE ${table} SET ${column} = ${column} - interval '2 days' WHERE ${column} > now() - interval '1 hour'`,
      )
      await owner.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
      moved = rowCount
    }
    return moved
  })

/** Marks the day, as late reports would, and waits until the background work has rolled it up and summed up the days until the last one. */
const rollUp = dataDir =>
  withOwner(dataDir, async owner => {
    await owner.query(`
      INSERT INTO insight_marks (account_id, at, with_visits)
      SELECT DISTINCT 1, date_trunc('day', t.at, 'UTC'), true FROM unnest(ARRAY[now(), now() - interval '1 hour']) l (left_at)
       CROSS JOIN LATERAL (SELECT l.left_at - interval '2 days') t (at)`)
    const deadline = Date.now() + LONGEST_MS
    for (let isOver = false; !isOver; ) {
      if (Date.now() > deadline) throw new Error('The day was not rolled up.')
      await sleep(POLL_MS)
      const { rows } = await owner.query(`
        SELECT NOT EXISTS (SELECT FROM insight_marks)
               AND (SELECT max(until) FROM insight_total_days) >= (SELECT closed_until FROM insight_accounts WHERE account_id = 1) AS is_over`)
      isOver = rows[0].is_over
    }
  })

/** PostgreSQL's processor time for each request of the day, compared with that of the request itself. */
export async function rollUpCost(name, { dataDir }, roots, { service_cpu_ms, postgres_cpu_ms }) {
  const columns = counted[name]
  if (!columns || !roots) return []
  const rows = await moveToPast(dataDir, columns)
  await settle(dataDir)
  const meter = processorMeter(roots)
  await meter.during(() => rollUp(dataDir))
  return [
    {
      what: 'rolling up',
      ours: meter.per(rows).postgres_cpu_ms,
      baseline: service_cpu_ms + postgres_cpu_ms,
      unit: 'ms of processor time',
      rows,
      atLeast: undefined,
      atMost: 0.1,
    },
  ]
}
