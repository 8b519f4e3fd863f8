/** A worker that stops claims no more deliveries, however long its other work takes to end. */
import { expect, it } from 'vitest'
import { emit, eventually, useDeliveries } from './scene.ts'
import { startWorker, type TestWorker } from './worker.ts'

const scene = useDeliveries()

/** Counts the claims that a worker sends, from now on. */
function countClaims({ database }: TestWorker): () => number {
  const many = database.many.bind(database)
  let claims = 0
  database.many = statement => {
    if (statement.text.includes('claimable')) claims++
    return many(statement)
  }
  return () => claims
}

it('claims nothing while a routine is still at work', async () => {
  await scene.subscribe()
  const client = await scene.database.owner.connect()
  try {
    await client.query('BEGIN; LOCK TABLE magic_links')
    const stopped = startWorker(scene.database)
    const claims = countClaims(stopped)
    const waiting = `SELECT FROM pg_locks WHERE relation = 'magic_links'::regclass AND NOT granted`
    await eventually(async () => expect((await client.query(waiting)).rowCount).toBe(1))
    expect(claims()).toBeGreaterThan(0)
    const stopping = stopped.stop()
    const before = claims()
    await emit(scene.database.db, scene.account.id, 1)
    const other = countClaims(scene.work())
    // Both would claim at the same intervals.
    await eventually(() => expect(other()).toBeGreaterThan(5))
    expect(claims()).toBe(before)
    await client.query('COMMIT')
    await stopping
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})
