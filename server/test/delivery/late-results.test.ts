/** A worker whose lease has expired no longer decides about a delivery: only that the receiver has it remains true. */
import pino from 'pino'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { claimDeliveries, LEASE_MS } from '../../src/webhooks/delivery/claim-deliveries.store.ts'
import type { AttemptResult, ClaimedDelivery } from '../../src/webhooks/delivery/delivery.ts'
import { createDeliveryMetrics } from '../../src/webhooks/delivery/delivery-metrics.ts'
import { recordResults } from '../../src/webhooks/delivery/record-results.ts'
import { lockWaiters } from '../interleave.ts'
import { behaviours } from './receiver.ts'
import { deliveriesOf, emit, eventually, useDeliveries, wakeWorkers } from './scene.ts'

const scene = useDeliveries()
const AFTER_LEASE_MS = LEASE_MS + 1000
const DELAY_MS = 300_000

/** Claims the one delivery that is due, as a worker whose clock is this far ahead. */
async function claim(offsetMs: number): Promise<ClaimedDelivery> {
  const limits = { free: 512, freeForFailing: 256, perNewEndpoint: 2, perFailingEndpoint: 2 }
  const [delivery] = await eventually(async () => {
    const found = await claimDeliveries(
      scene.database.db,
      { offsetMs },
      { ...limits, known: new Map(), accounts: new Map() },
    )
    expect(found).toHaveLength(1)
    return found
  })
  return delivery as ClaimedDelivery
}

/** Two claims of one delivery: the lease of the first has expired. */
async function claimTwice(): Promise<[late: ClaimedDelivery, own: ClaimedDelivery]> {
  await scene.subscribe()
  await emit(scene.database.db, scene.account.id)
  return [await claim(0), await claim(AFTER_LEASE_MS)]
}

async function record(delivery: ClaimedDelivery, status: number, next: AttemptResult['next']) {
  const { db } = scene.database
  const failure = status === 200 ? undefined : { stage: 'status' as const, message: `HTTP ${status}` }
  const outcome = { durationMs: 1, status, response: Buffer.alloc(0), failure, retryAfter: undefined }
  const left = await recordResults(
    {
      db,
      clock: { offsetMs: 0 },
      log: pino({ level: 'silent' }),
      metrics: createDeliveryMetrics(new Registry(), db),
    },
    [{ delivery, outcome, startedAtMs: Date.now(), mayDisable: false, next }],
  )
  expect(left).toEqual([])
}

const retry = { status: 'pending', delayMs: DELAY_MS } as const
const failed = { status: 'failed' } as const
const delivered = { status: 'delivered' } as const

const state = async () =>
  (
    await scene.database.owner.query(
      'SELECT status, attempts, leased_until::text, due_at > now() AS is_later FROM deliveries',
    )
  ).rows[0]
const attempts = async () => (await deliveriesOf(scene))[0]?.attempts.map(each => each.response_status)

it.each([
  ['a failure', retry],
  ['the last failure', failed],
])('%s that is late changes nothing but the log', async (_name, next) => {
  const [late, own] = await claimTwice()
  const before = await state()
  await record(late, 500, next)
  expect(await state()).toEqual(before)
  expect(before.leased_until).toBe(own.leased_until)
  expect(await attempts()).toEqual([500])
  await record(own, 200, delivered)
  expect(await state()).toMatchObject({ status: 'delivered', attempts: 1 })
  expect(await attempts()).toEqual([500, 200])
})

it('a failure within its lease counts, to the microsecond', async () => {
  const [, own] = await claimTwice()
  await record(own, 500, retry)
  expect(await state()).toEqual({ status: 'pending', attempts: 1, leased_until: null, is_later: true })
})

it('a success that is late still counts: the receiver has it', async () => {
  const [late, own] = await claimTwice()
  await record(late, 200, delivered)
  expect(await state()).toMatchObject({ status: 'delivered', leased_until: null })
  await record(own, 500, retry)
  expect(await state()).toMatchObject({ status: 'delivered', leased_until: null })
  expect(await attempts()).toEqual([200, 500])
})

it('a success that is late counts also if the last attempt has failed since', async () => {
  const [late, own] = await claimTwice()
  await record(own, 500, failed)
  expect(await state()).toMatchObject({ status: 'failed' })
  await record(late, 200, delivered)
  expect(await state()).toMatchObject({ status: 'delivered' })
})

it('a failure counts if its worker has claimed the delivery again meanwhile', async () => {
  const clock = { offsetMs: 0 }
  const endpoint = await scene.subscribe(behaviours.status(500))
  const holder = await scene.database.owner.connect()
  try {
    await holder.query('BEGIN; LOCK TABLE delivery_attempts IN EXCLUSIVE MODE')
    // With a time for attempts, so that no sweep runs beside, which would wait for the table too.
    scene.work({ clock, timeoutMs: 10_000 })
    await emit(scene.database.db, scene.account.id)
    await scene.receiver.arrived(1, endpoint.path)
    const { leased_until: before } = await state()
    clock.offsetMs = AFTER_LEASE_MS
    await wakeWorkers(scene.database.db)
    await eventually(async () => expect((await state()).leased_until).not.toBe(before))
    // What is being recorded at that moment has the previous lease: the recording after the next one knows the new one.
    const waiters = () => lockWaiters(scene.database.owner)
    for (let turn = 0; turn < 2; turn++) {
      await eventually(async () => expect(await waiters()).toEqual([]))
      await eventually(async () => expect(await waiters()).not.toEqual([]))
    }
  } finally {
    await holder.query('COMMIT')
    holder.release()
  }
  await eventually(async () =>
    expect(await state()).toEqual({ status: 'pending', attempts: 1, leased_until: null, is_later: true }),
  )
  expect(scene.receiver.at(endpoint.path)).toHaveLength(1)
})
