/** Protects receivers that are gone: 410 at once, five days of nothing but failures, and silence afterwards. */
import { expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { type Behaviour, behaviours } from './receiver.ts'
import { deliveriesOf, emit, eventually, useDeliveries } from './scene.ts'

const scene = useDeliveries()
const HOUR = 3_600_000
const DAY = 24 * HOUR

const statusOf = async (id: number) => {
  const { body } = await scene.api.get('/webhook_endpoints?limit=100')
  return body.data.find((endpoint: { id: number }) => endpoint.id === id)?.status
}
const statuses = async (endpointId: number) =>
  (await deliveriesOf(scene, endpointId)).map(({ status }) => status)

/** Emits one event and waits until its first attempt at the endpoint is in the log. */
async function attemptOnce(endpointId: number): Promise<void> {
  await emit(scene.database.db, scene.account.id)
  await eventually(async () => {
    const last = (await deliveriesOf(scene, endpointId)).at(-1)
    expect(last?.attempts.length).toBeGreaterThan(0)
  })
}

/** The retries of earlier events would be due as well, and are not what the test is about. */
const dropPending = () =>
  scene.database.owner.query(`UPDATE deliveries SET status = 'failed' WHERE status = 'pending'`)

/** They stay to come: what the test is about happens first, also on a machine that takes seconds for it. */
const postponeRetries = () =>
  scene.database.owner.query(
    `UPDATE deliveries SET due_at = due_at + interval '1 day' WHERE status = 'pending'`,
  )

it('disables an endpoint at the first 410, and cancels what is pending there and nowhere else', async () => {
  let answer: Behaviour = behaviours.status(500)
  const endpoint = await scene.subscribe((response, request) => answer(response, request))
  const other = await scene.subscribe(behaviours.status(500))
  scene.work()
  await attemptOnce(endpoint.id)
  await postponeRetries()
  answer = behaviours.status(410)
  await attemptOnce(endpoint.id)
  await eventually(async () => expect(await statusOf(endpoint.id)).toBe('disabled'))
  expect(await statuses(endpoint.id)).toEqual(['canceled', 'failed'])
  expect(await statusOf(other.id)).toBe('active')
  expect(await statuses(other.id)).toEqual(['pending', 'pending'])

  // It gets nothing from now on: neither a promise nor a request.
  await attemptOnce(other.id)
  expect(await statuses(endpoint.id)).toHaveLength(2)
  expect(scene.receiver.at(endpoint.path)).toHaveLength(2)
})

it('cancels pending deliveries permanently on a 410', async () => {
  const answers: (() => void)[] = []
  const endpoint = await scene.subscribe(response =>
    answers.push(() => behaviours.status(500)(response, response.req)),
  )
  scene.work()
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(1, endpoint.path)
  scene.receiver.behave(endpoint.path, behaviours.status(410))
  await emit(scene.database.db, scene.account.id)
  await eventually(async () => expect(await statusOf(endpoint.id)).toBe('disabled'))
  for (const answer of answers) answer()
  await eventually(async () => {
    const log = await deliveriesOf(scene, endpoint.id)
    expect(log.map(({ attempts }) => attempts.length)).toEqual([1, 1])
  })
  expect(await statuses(endpoint.id)).toEqual(['canceled', 'failed'])
})

it('disables an endpoint that answered nothing but failures for five days, not sooner', async () => {
  const clock = { offsetMs: 0 }
  const endpoint = await scene.subscribe(behaviours.status(500))
  scene.work({ clock })
  await attemptOnce(endpoint.id)
  await dropPending()
  clock.offsetMs = 5 * DAY - HOUR
  await attemptOnce(endpoint.id)
  expect(await statusOf(endpoint.id)).toBe('active')
  // Still to come when the endpoint is switched off, by the next event and not by this one's retry.
  await postponeRetries()
  clock.offsetMs = 5 * DAY + HOUR
  await attemptOnce(endpoint.id)
  await eventually(async () => expect(await statusOf(endpoint.id)).toBe('disabled'))
  expect(await statuses(endpoint.id)).not.toContain('pending')
  const attempts = scene.receiver.at(endpoint.path).length
  const marker = await scene.subscribe()
  clock.offsetMs += DAY
  await attemptOnce(marker.id)
  expect(scene.receiver.at(endpoint.path)).toHaveLength(attempts)
})

it('restarts the five days after a success', async () => {
  const clock = { offsetMs: 0 }
  let answer: Behaviour = behaviours.status(500)
  const endpoint = await scene.subscribe((response, request) => answer(response, request))
  scene.work({ clock })
  await attemptOnce(endpoint.id)
  await dropPending()
  clock.offsetMs = 3 * DAY
  answer = behaviours.ok
  await attemptOnce(endpoint.id)
  answer = behaviours.status(500)
  for (const day of [4, 6, 8.9]) {
    clock.offsetMs = day * DAY
    await attemptOnce(endpoint.id)
    await dropPending()
    expect(await statusOf(endpoint.id)).toBe('active')
  }
  clock.offsetMs = 9.1 * DAY
  await attemptOnce(endpoint.id)
  await eventually(async () => expect(await statusOf(endpoint.id)).toBe('disabled'))
})

it('sends nothing to an endpoint that was disabled manually, and rejects requests to', async () => {
  const endpoint = await scene.subscribe()
  const marker = await scene.subscribe()
  await emit(scene.database.db, scene.account.id)
  await scene.database.owner.query(`UPDATE webhook_endpoints SET status = 'disabled' WHERE id = $1`, [
    endpoint.id,
  ])
  scene.work()
  await scene.receiver.arrived(1, marker.path)
  await attemptOnce(marker.id)
  expect(scene.receiver.at(endpoint.path)).toEqual([])
  const [row] = await scene.database.db.many<{ count: number }>(
    sql`SELECT count(*)::integer AS count FROM deliveries WHERE endpoint_id = ${endpoint.id}`,
  )
  expect(row?.count).toBe(1)
})
