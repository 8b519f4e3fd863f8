/** An endpoint of `tributary listen` does not outlive its command for long, and no other endpoint is touched. */
import { expect, it } from 'vitest'
import { deleteExpiredListeners, LEASE_SECONDS, startListening } from '../../src/webhooks/endpoints/listen.ts'
import { renewListener } from '../../src/webhooks/endpoints/listener.store.ts'
import { buildAffiliate } from '../factories.ts'
import { useOwnScene } from '../harness.ts'

const scene = useOwnScene()
const owner = async (text: string) => (await scene.database.owner.query(text)).rows
const listen = async () =>
  (
    await startListening(scene.app.services, scene.account.id, {
      url: 'http://127.0.0.1:9/',
      events: ['promoter.approved'],
    })
  ).id

it('what a killed command left behind is deleted, with what was to be delivered there', async () => {
  const { api, database, account, place } = scene
  const { body } = await api.post('/webhook_endpoints', {
    url: 'https://receiver.example/',
    events: ['promoter.approved'],
  })
  const [killed, alive] = [await listen(), await listen()]
  const { id } = await buildAffiliate(database, account.id, place.campaign_id)
  await api.patch(`/affiliates/${id}`, { status: 'approved' })
  await deleteExpiredListeners(database.db)
  expect((await api.get('/webhook_endpoints')).body.data).toHaveLength(3)

  await owner(`UPDATE webhook_endpoints SET listens_until = now() - interval '1 second' WHERE id = ${killed}`)
  // Two processes may find it at once.
  await Promise.all([deleteExpiredListeners(database.db), deleteExpiredListeners(database.db)])
  expect((await api.get('/webhook_endpoints')).body.data.map((one: { id: number }) => one.id)).toEqual([
    alive,
    body.id,
  ])
  expect(
    await owner('SELECT endpoint_id::integer AS id, status FROM deliveries ORDER BY endpoint_id'),
  ).toEqual([
    { id: body.id, status: 'pending' },
    { id: killed, status: 'canceled' },
    { id: alive, status: 'pending' },
  ])
  expect(await renewListener(database.db, account.id, killed, LEASE_SECONDS)).toBe(false)
  expect(await renewListener(database.db, account.id, alive, LEASE_SECONDS)).toBe(true)
})
