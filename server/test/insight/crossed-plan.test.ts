/** Protects PostgreSQL from questions by affiliate and source about clicks that are new to it: their cost grows with the clicks, and no faster. */
import { expect, it } from 'vitest'
import type { Db, Tx } from '../../src/db/database.ts'
import { type Sql, sql } from '../../src/db/sql.ts'
import { sumCrossed } from '../../src/insight/crossed-sums.store.ts'
import { useOwnScene } from '../harness.ts'

const scene = useOwnScene()
const CLICKS = 3000

/** How a statement that sums is carried out. */
async function planOf(ask: (db: Db) => Promise<unknown>): Promise<string> {
  const { db } = scene.database
  let plan = ''
  const explaining = (tx: Tx): Tx =>
    new Proxy(tx, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (name !== 'many') return typeof value === 'function' ? value.bind(target) : value
        return async (statement: Sql) => {
          const rows = await tx.many<{ 'QUERY PLAN': string }>(
            sql`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ${statement}`,
          )
          plan = rows.map(row => row['QUERY PLAN']).join('\n')
          return []
        }
      },
    })
  const asked: Db = new Proxy(db, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      if (name === 'transaction')
        return (work: (tx: Tx) => Promise<unknown>) => db.transaction(tx => work(explaining(tx)))
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  await ask(asked)
  return plan
}

it('looks through the kinds of clicks once', async () => {
  const { database, account, place } = scene
  const { rows } = await database.owner.query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, user_agent, landing_url, created_at)
     SELECT $1, $2, $3, false, 'Mozilla/5.0', 'https://shop.example/page' || n, now() FROM generate_series(1, $4) n
     RETURNING to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day`,
    [account.id, place.campaign_id, place.affiliate_id, CLICKS],
  )
  const { day } = rows[0]
  const source = { dimension: 'device', value: 'desktop' } as const
  const scope = { accountId: account.id, from: day, to: day, reportingCurrency: null, source }
  const plan = await planOf(db => sumCrossed(db, scope, 'landing_page'))
  const kinds = /CTE Scan on asked \w+ \(actual rows=([\d.]+) loops=(\d+)\)/.exec(plan)
  expect([Number(kinds?.[1]), Number(kinds?.[2])], plan).toEqual([CLICKS, 1])
})
