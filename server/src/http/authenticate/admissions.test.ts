/** Keeps the number of admission queries low: slots granted ahead serve all waiting requests, until they expire. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Db } from '../../db/database.ts'
import { Admissions } from './admissions.ts'

/** A database that grants everything requested, when the test resolves it. */
function slowDatabase() {
  const queries: { wanted: number; grant(): void }[] = []
  const first = ({ values }: { values: number[] }) =>
    new Promise(resolve => {
      const wanted = values[2] as number
      const row = { account_id: 1, api_key_id: 1, granted: wanted, used: wanted, frees_in_ms: 60_000 }
      queries.push({ wanted, grant: () => resolve(row) })
    })
  return { queries, db: { first } as unknown as Db }
}

it('requests that arrive during a query use the slots it granted ahead, without another query', async () => {
  const { db, queries } = slowDatabase()
  const admissions = new Admissions(db, 1_000_000)
  const key = Buffer.alloc(32)
  const first = admissions.admit(key)
  queries[0]?.grant()
  await first
  const second = admissions.admit(key)
  const third = admissions.admit(key)
  queries[1]?.grant()
  expect(await Promise.all([second, third])).toMatchObject([{ admitted: true }, { admitted: true }])
  expect(queries.map(({ wanted }) => wanted)).toEqual([1, 2])
})

it('a slot that was granted ahead expires, so that a revoked key stops working', async () => {
  const { db, queries } = slowDatabase()
  const admissions = new Admissions(db, 1_000_000)
  const key = Buffer.alloc(32)
  for (const index of [0, 1]) {
    const admission = admissions.admit(key)
    queries[index]?.grant()
    await admission
  }
  await sleep(300)
  void admissions.admit(key)
  expect(queries).toHaveLength(3)
})

it('several processes together are granted no more ahead than one: with a low limit nothing', async () => {
  const { db, queries } = slowDatabase()
  const admissions = new Admissions(db, 1200, 4)
  for (const index of [0, 1, 2]) {
    const admission = admissions.admit(Buffer.alloc(32))
    queries[index]?.grant()
    await admission
  }
  expect(queries.map(({ wanted }) => wanted)).toEqual([1, 1, 1])
})

it('a failure of the database is not taken for a wrong key, and the next request asks again', async () => {
  const { db, queries } = slowDatabase()
  let isDown = true
  const first: Db['first'] = statement => (isDown ? Promise.reject(new Error('down')) : db.first(statement))
  const admissions = new Admissions({ first } as unknown as Db, 300)
  const key = Buffer.alloc(32)
  await expect(admissions.admit(key)).rejects.toThrow('down')
  isDown = false
  const next = admissions.admit(key)
  queries[0]?.grant()
  expect(await next).toMatchObject({ admitted: true })
})
