/** For a fast endpoint more is claimed than is sent at a time. What waits is neither sent late nor kept from others. */
import type { ServerResponse } from 'node:http'
import { afterEach, expect, it, vi } from 'vitest'
import { type Sql, sql } from '../../src/db/sql.ts'
import { claimDeliveries } from '../../src/webhooks/delivery/claim-deliveries.store.ts'
import type { ClaimedDelivery } from '../../src/webhooks/delivery/delivery.ts'
import { releaseDeliveries } from '../../src/webhooks/delivery/delivery-queue.store.ts'
import { setEndpointStatus } from '../../src/webhooks/endpoints/set-endpoint-status.ts'
import { cancelDeliveries } from '../../src/webhooks/outbox/endpoint-locks.ts'
import { whileHeld } from '../interleave.ts'
import { emit, eventually, useDeliveries } from './scene.ts'
import { startWorker, type TestWorker } from './worker.ts'

const scene = useDeliveries()
const PATIENT = { timeout: 120_000 }
/** An attempt outlasts the test: what waits for one to end would wait as long. */
const ENDLESS = { timeoutMs: 600_000 }
const AT_ONCE = 16

/** An endpoint that responds at once while it is open. */
class Door {
  isOpen = true
  most = 0
  #held: ServerResponse[] = []

  get held(): number {
    return this.#held.length
  }

  readonly behaviour = (response: ServerResponse): void => {
    if (this.isOpen) return void response.end()
    this.#held.push(response)
    this.most = Math.max(this.most, this.held)
  }

  refuseOne(status: number): void {
    this.#held.shift()?.writeHead(status).end()
  }

  acceptOne(): void {
    this.#held.shift()?.end()
  }

  open(): void {
    this.isOpen = true
    for (const response of this.#held.splice(0)) response.end()
  }
}

/** Holds the answers to claims that found something. */
class ClaimGate {
  #waiting: (() => void)[] | undefined
  readonly beforeRows = ({ text }: Sql, rows: unknown[]): Promise<void> | undefined => {
    const waiting = this.#waiting
    if (!waiting || rows.length === 0 || !text.includes('claimable')) return undefined
    return new Promise(resolve => waiting.push(resolve))
  }

  close(): void {
    this.#waiting = []
  }

  /** Lets the answer through that is held, but none after it. */
  letOne(): void {
    this.#waiting?.shift()?.()
  }

  open(): void {
    for (const resolve of this.#waiting ?? []) resolve()
    this.#waiting = undefined
  }
}

const gate = new ClaimGate()
// Before the workers stop, which wait for their claim.
afterEach(() => gate.open())

const count = async (which: Sql) =>
  (
    await scene.database.db.first<{ count: number }>(
      sql`SELECT count(*)::integer AS count FROM deliveries WHERE status = 'pending' AND ${which}`,
    )
  )?.count
const pending = () => count(sql`true`)
/** How many deliveries are claimed, whether they were sent or wait. */
const claimed = () => count(sql`leased_until IS NOT NULL`)

/** Counts the claims of a worker that have returned, from now on. */
function countClaims({ database }: TestWorker): () => number {
  const many = database.many.bind(database)
  let returned = 0
  vi.spyOn(database, 'many').mockImplementation(async statement => {
    const rows = await many(statement)
    if (statement.text.includes('claimable')) returned++
    return rows as never
  })
  return () => returned
}

/**
 * Responds at once, until it holds all that it gets at a time while more is claimed. Its last response decides whether it counts as fast, so
 * on a busy machine it may take several turns.
 */
async function holdWithMoreClaimed(door: Door, path: string): Promise<void> {
  await eventually(async () => {
    door.open()
    const before = scene.receiver.at(path).length
    await emit(scene.database.db, scene.account.id, 100)
    await scene.receiver.arrived(before + 50, path)
    door.isOpen = false
    await eventually(() => expect(door.held).toBe(AT_ONCE))
    expect(await claimed()).toBeGreaterThan(AT_ONCE)
  })
}

it('sends 16 at a time, and gives back what has waited for a second', PATIENT, async () => {
  const door = new Door()
  const { path } = await scene.subscribe(door.behaviour)
  const worker = scene.work(ENDLESS)
  await holdWithMoreClaimed(door, path)
  await eventually(async () => expect(await claimed()).toBe(AT_ONCE))
  // It is not claimed again while none of the attempts end: after two more claims there are no more.
  const claims = countClaims(worker)
  await eventually(() => expect(claims()).toBeGreaterThanOrEqual(2))
  expect(await claimed()).toBe(AT_ONCE)
  expect(door.most).toBe(AT_ONCE)
  door.open()
  await eventually(async () => expect(await claimed()).toBe(0))
  await eventually(async () => expect(await pending()).toBe(0))
  const ids = scene.receiver.at(path).map(({ headers }) => headers['tributary-delivery-id'])
  expect(new Set(ids).size).toBe(ids.length)
})

it('sends nothing more once it is stopped, and leaves the rest to others at once', PATIENT, async () => {
  const door = new Door()
  const { path } = await scene.subscribe(door.behaviour)
  const worker = startWorker(scene.database, ENDLESS)
  await holdWithMoreClaimed(door, path)
  const sent = scene.receiver.at(path).length
  const stopping = worker.stop()
  await eventually(async () => expect(await claimed()).toBe(AT_ONCE))
  door.open()
  await stopping
  expect(await claimed()).toBe(0)
  expect(scene.receiver.at(path)).toHaveLength(sent)
  expect(await pending()).toBeGreaterThan(0)
  scene.work()
  await eventually(async () => expect(await pending()).toBe(0))
})

it('gives back what waits for an endpoint that fails, and sends it none of that', PATIENT, async () => {
  const door = new Door()
  const { path } = await scene.subscribe(door.behaviour)
  scene.work(ENDLESS)
  await holdWithMoreClaimed(door, path)
  const sent = scene.receiver.at(path).length
  door.refuseOne(410)
  await eventually(async () => expect(await pending()).toBe(0))
  // The rest was canceled, because the endpoint is gone.
  expect(scene.receiver.at(path)).toHaveLength(sent)
})

it('gives back what would wait after a claim that took longer than a second', PATIENT, async () => {
  const door = new Door()
  const { path } = await scene.subscribe(door.behaviour)
  scene.work({ ...ENDLESS, beforeRows: gate.beforeRows })
  const delivered = async () =>
    (await scene.database.owner.query("SELECT 1 FROM deliveries WHERE status = 'delivered'")).rows.length
  await eventually(async () => {
    gate.open()
    door.open()
    await emit(scene.database.db, scene.account.id, 100)
    await eventually(async () => expect(await pending()).toBe(0))
    door.isOpen = false
    gate.close()
    await emit(scene.database.db, scene.account.id, 40)
    await eventually(async () => expect(await claimed()).toBeGreaterThan(0))
    // Only for an endpoint that counts as fast.
    expect(await claimed()).toBeGreaterThan(AT_ONCE)
  })
  const before = { sent: scene.receiver.at(path).length, delivered: await delivered() }
  await new Promise(resolve => setTimeout(resolve, 1100))
  gate.letOne()
  // What has room is sent, or slow claims would deliver nothing. The rest has waited for its second already.
  await eventually(() => expect(door.held).toBe(AT_ONCE))
  door.acceptOne()
  await eventually(async () => expect(await delivered()).toBe(before.delivered + 1))
  expect(scene.receiver.at(path)).toHaveLength(before.sent + AT_ONCE)
  gate.open()
  door.open()
  await eventually(async () => expect(await pending()).toBe(0))
  const ids = scene.receiver.at(path).map(({ headers }) => headers['tributary-delivery-id'])
  expect(new Set(ids).size).toBe(ids.length)
})

const remove = (id: number) => scene.api.delete(`/webhook_endpoints/${id}`)
const disable = (id: number) => setEndpointStatus(scene.database.db, scene.account.id, id, 'disabled')
const attempts = async () => (await scene.database.owner.query('SELECT 1 FROM delivery_attempts')).rows.length

/** A worker whose notifications a test waits for. */
function workNotified() {
  const payloads: string[] = []
  const onNotified = (payload: string) => void payloads.push(payload)
  scene.work({ ...ENDLESS, beforeRows: gate.beforeRows, onNotified })
  return (id: number) => eventually(() => expect(payloads).toContain(String(id)))
}

it.each([
  ['deleted', remove],
  ['disabled', disable],
])('sends nothing of what waits once it knows that the endpoint is %s', PATIENT, async (_name, stop) => {
  const door = new Door()
  const endpoint = await scene.subscribe(door.behaviour)
  const isNotified = workNotified()
  await holdWithMoreClaimed(door, endpoint.path)
  const sent = scene.receiver.at(endpoint.path).length
  await stop(endpoint.id)
  await isNotified(endpoint.id)
  door.open()
  // Those in flight are logged.
  await eventually(async () => expect(await attempts()).toBe(sent))
  expect(scene.receiver.at(endpoint.path)).toHaveLength(sent)
})

it('sends nothing that a running claim returns after the endpoint was deleted', PATIENT, async () => {
  const endpoint = await scene.subscribe()
  const other = await scene.subscribe(undefined, ['payout.paid'])
  const isNotified = workNotified()
  gate.close()
  await emit(scene.database.db, scene.account.id, 2)
  await eventually(async () => expect(await claimed()).toBeGreaterThan(0))
  await remove(endpoint.id)
  await isNotified(endpoint.id)
  gate.open()
  await emit(scene.database.db, scene.account.id, 1, 'payout.paid')
  await scene.receiver.arrived(1, other.path)
  await eventually(async () => expect(await pending()).toBe(0))
  expect(scene.receiver.at(endpoint.path)).toEqual([])
})

/** Claims all that is due, as a worker with nothing in flight. Some places are kept for what is new, at random, so it takes several turns. */
async function claimAll(offsetMs = 0): Promise<ClaimedDelivery[]> {
  const limits = { free: 512, freeForFailing: 256, perNewEndpoint: 2, perFailingEndpoint: 1 }
  const found: ClaimedDelivery[] = []
  for (let turn = 0; turn < 30; turn++)
    found.push(
      ...(await claimDeliveries(
        scene.database.db,
        { offsetMs },
        { ...limits, known: new Map(), accounts: new Map() },
      )),
    )
  return found
}

it('does not give back what another worker has claimed since', async () => {
  await scene.subscribe()
  await emit(scene.database.db, scene.account.id, 2)
  const mine = await claimAll()
  expect(mine).toHaveLength(2)
  expect(await claimAll()).toEqual([])
  // The lease expires, and another worker claims them.
  expect(await claimAll(20_000)).toHaveLength(2)
  await releaseDeliveries(scene.database.db, mine)
  expect(await claimed()).toBe(2)
  expect(await claimAll(20_000)).toEqual([])
})

it('does not wait for what is being canceled', async () => {
  const endpoint = await scene.subscribe()
  await emit(scene.database.db, scene.account.id, 2)
  const mine = await claimAll()
  const { db } = scene.database
  const key = { account_id: scene.account.id, endpoint_id: endpoint.id }
  let wasReleased = false
  await whileHeld(
    scene.database,
    tx => cancelDeliveries(tx, [key], async () => [key]),
    async () => {
      await releaseDeliveries(db, mine)
      wasReleased = true
    },
    async () => expect(wasReleased).toBe(true),
  )
  expect(await pending()).toBe(0)
})
