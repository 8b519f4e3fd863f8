/** Protects deliveries from an account without measure: it has no more endpoints than the setting says, however they are asked for. */
import { afterEach, expect, it } from 'vitest'
import { startListening } from '../../src/webhooks/endpoints/listen.ts'
import { setEndpointStatus } from '../../src/webhooks/endpoints/set-endpoint-status.ts'
import { TestClient } from '../client.ts'
import { eventually } from '../delivery/scene.ts'
import { buildAccount } from '../factories.ts'
import { useOwnScene } from '../harness.ts'

const MOST = 3
const scene = useOwnScene({ TRIBUTARY_MAX_WEBHOOK_ENDPOINTS: String(MOST) })
const subscription = { url: 'https://receiver.example/', events: ['payout.paid' as const] }
const create = (api = scene.api) => api.post('/webhook_endpoints', subscription)
const refusal = {
  status: 409,
  body: {
    error: {
      code: 'conflict',
      message: 'This account has reached its limit of 3 webhook endpoints. Delete one first.',
    },
  },
}

afterEach(() => scene.database.owner.query('DELETE FROM webhook_endpoints'))

it('refuses one more than the setting allows, disabled ones counted, until one is deleted', async () => {
  for (let n = 0; n < MOST; n++) expect((await create()).status).toBe(201)
  expect(await create()).toMatchObject(refusal)
  const { body } = await scene.api.get('/webhook_endpoints')
  await setEndpointStatus(scene.database.db, scene.account.id, body.data[0].id, 'disabled')
  expect(await create()).toMatchObject(refusal)
  const stranger = await buildAccount(scene.database)
  expect((await create(new TestClient(scene.app.url, stranger.key))).status).toBe(201)
  expect((await scene.api.delete(`/webhook_endpoints/${body.data[0].id}`)).status).toBe(204)
  expect((await create()).status).toBe(201)
})

it('counts endpoints of `tributary listen` too', async () => {
  for (let n = 0; n < MOST; n++)
    await startListening(scene.app.services, scene.account.id, { ...subscription })
  await expect(startListening(scene.app.services, scene.account.id, { ...subscription })).rejects.toThrow(
    refusal.body.error.message,
  )
  expect(await create()).toMatchObject(refusal)
})

it('of two who ask for the last place at once, one gets it', async () => {
  for (let n = 1; n < MOST; n++) await create()
  const held = await scene.database.owner.connect()
  // Reading goes on, so both could count before either has written.
  await held.query('BEGIN; LOCK TABLE webhook_endpoints IN SHARE MODE')
  const asked = [create(), create()]
  const waiting = eventually(async () => {
    const { rows } =
      await scene.database.db.pool.query(`SELECT count(*)::integer AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    expect(rows[0].waiting).toBe(2)
  })
  try {
    await waiting
  } finally {
    await held.query('COMMIT')
    held.release()
  }
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([201, 409])
})
