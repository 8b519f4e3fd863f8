/** Protects doctor from taking hours: what it compares grows with the days of clicks, not with their square. */
import { expect, it } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import type { Sql } from '../../src/db/sql.ts'
import { rebuild } from '../../src/insight/roll-up.ts'
import { findWrongDays } from '../../src/insight/wrong-days.store.ts'
import { buildAffiliate } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { rollUpAll } from './roll-up-all.ts'

const scene = useOwnScene()
const RETENTION_DAYS = 400
const AFFILIATES = 20

/** A click of each affiliate on each of the days, counted in days before today. */
const addClicks = (from: number, until: number) =>
  scene.database.owner.query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, user_agent, landing_url, created_at)
     SELECT $1, $2, a.id, false, 'Mozilla/5.0 (X11; Linux x86_64)', 'https://shop.example/?utm_source=' || a.id,
            (current_date - d + time '12:00') AT TIME ZONE 'UTC'
       FROM generate_series($3::integer, $4::integer) d, affiliates a WHERE a.account_id = $1`,
    [scene.account.id, scene.place.campaign_id, from, until],
  )

interface Plan {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Plan[]
}
/** Without those of a bitmap, which counts pages in tens. */
const rowsIn = (plan: Plan): number =>
  (plan['Node Type'] === 'Bitmap Index Scan' ? 0 : plan['Actual Rows'] * plan['Actual Loops']) +
  (plan.Plans ?? []).reduce((sum, each) => sum + rowsIn(each), 0)

/** The rows that the steps of all statements of doctor return. */
async function rowsCompared(): Promise<number> {
  const { db, owner } = scene.database
  const asked: Sql[] = []
  const listener = {
    many: (statement: Sql) => {
      asked.push(statement)
      return db.many(statement)
    },
    first: (statement: Sql) => {
      asked.push(statement)
      return db.first(statement)
    },
  } as unknown as Db
  expect(await findWrongDays(listener, RETENTION_DAYS)).toEqual([])
  let sum = 0
  for (const { text, values } of asked) {
    const { rows } = await owner.query(`EXPLAIN (ANALYZE, FORMAT JSON, TIMING off) ${text}`, values)
    sum += rowsIn(rows[0]['QUERY PLAN'][0].Plan)
  }
  return sum
}

it('what doctor compares grows with the days', { timeout: 120_000 }, async () => {
  const { database, account, place } = scene
  for (let n = 1; n < AFFILIATES; n++) await buildAffiliate(database, account.id, place.campaign_id)
  const measured: number[] = []
  for (const [from, until] of [
    [2, 57],
    [58, 113],
  ] as const) {
    await addClicks(from, until)
    await rebuild(database.db, account.id, RETENTION_DAYS)
    await rollUpAll(scene, RETENTION_DAYS)
    await database.owner.query('ANALYZE')
    measured.push(await rowsCompared())
  }
  const [half = 0, whole = 0] = measured
  expect(whole / half).toBeLessThan(2.2)
})
