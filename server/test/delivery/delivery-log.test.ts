/** The delivery log shows every attempt of a failing webhook, and neither it nor the service's log contains secrets. */
import { expect, it } from 'vitest'
import { listDeliveries } from '../../src/webhooks/endpoints/delivery-log.store.ts'
import { type Behaviour, behaviours } from './receiver.ts'
import { buildStranger, deliveriesOf, emit, eventually, useDeliveries, wakeWorkers } from './scene.ts'

const scene = useDeliveries()

it('lists every attempt with its number, time, duration, status, answer and stage', async () => {
  const clock = { offsetMs: 0 }
  let answer: Behaviour = behaviours.status(503)
  const endpoint = await scene.subscribe((response, request) => answer(response, request))
  scene.work({ clock })
  await emit(scene.database.db, scene.account.id)
  const after = (attempts: number) =>
    eventually(async () => {
      const [delivery] = await deliveriesOf(scene, endpoint.id)
      expect(delivery?.attempts).toHaveLength(attempts)
      return delivery
    })
  const waiting = await after(1)
  const delayMs =
    Date.parse(`${waiting?.next_attempt_at}`) - Date.parse(`${waiting?.attempts[0]?.started_at}`)
  expect(delayMs).toBeGreaterThan(3000)
  clock.offsetMs = 60_000
  answer = behaviours.resetMidway
  await wakeWorkers(scene.database.db)
  await after(2)
  clock.offsetMs = 3_600_000
  answer = behaviours.ok
  await wakeWorkers(scene.database.db)
  const done = await after(3)
  expect(done).toMatchObject({
    endpoint_id: endpoint.id,
    event_kind: 'promoter.approved',
    is_test: false,
    status: 'delivered',
    next_attempt_at: null,
    attempts: [
      { number: 1, response_status: 503, response_body: 'status 503', error_stage: 'status' },
      { number: 2, response_status: 200, error_stage: 'body' },
      { number: 3, response_status: 200, response_body: 'thank you', error_stage: null, error: null },
    ],
  })
  for (const [index, attempt] of (done?.attempts ?? []).entries()) {
    expect(attempt.started_at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    const atMs = Date.now() + ([0, 60_000, 3_600_000][index] as number)
    expect(Math.abs(Date.parse(attempt.started_at) - atMs)).toBeLessThan(20_000)
    expect(attempt.duration_ms).toBeLessThan(10_000)
  }
})

it('shows an answer in any language as it was, and bytes that are no text without failing', async () => {
  await scene.subscribe(response => response.end('Grüße, 世界 \\ 😀'))
  await scene.subscribe(response => response.end(Buffer.from([0, 0xff, 0xfe, 0x41])))
  scene.work()
  await emit(scene.database.db, scene.account.id)
  const [text, bytes] = await eventually(async () => {
    const log = await deliveriesOf(scene)
    expect(log.map(({ status }) => status)).toEqual(['delivered', 'delivered'])
    return log
  })
  expect(bytes?.attempts[0]?.response_body).toContain('A')
  expect(text?.attempts[0]?.response_body).toBe('Grüße, 世界 \\ 😀')
})

it('is filtered by endpoint, status and id, newest first, and shows nothing to another account', async () => {
  const [first, second] = [await scene.subscribe(), await scene.subscribe()]
  await emit(scene.database.db, scene.account.id, 3)
  const list = (query: object) => listDeliveries(scene.database.db, scene.account.id, query)
  const all = await list({})
  expect(all).toHaveLength(6)
  expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => b - a))
  expect((await list({ endpointId: second.id })).map(({ endpoint_id }) => endpoint_id)).toEqual(
    Array(3).fill(second.id),
  )
  expect(await list({ limit: 2 })).toEqual(all.slice(0, 2))
  expect(await list({ id: all[1]?.id })).toEqual([all[1]])
  expect([await list({ status: 'pending' }), await list({ status: 'failed' })]).toMatchObject([
    { length: 6 },
    [],
  ])
  const stranger = await buildStranger(scene)
  for (const query of [{}, { endpointId: first.id }, { id: all[0]?.id }])
    expect(await listDeliveries(scene.database.db, stranger.id, query)).toEqual([])
})

it('writes one wide line for each attempt, without secret, signature, body or answer', async () => {
  const lines: Record<string, unknown>[] = []
  const answer = 'a confidential response'
  const good = await scene.subscribe(response => response.end(answer))
  const bad = await scene.subscribe(response => response.writeHead(500).end(answer))
  const refused = await scene.subscribe()
  const url = 'http://169.254.169.254/token-in-the-path?token=in-the-query'
  await scene.database.owner.query('UPDATE webhook_endpoints SET url = $2 WHERE id = $1', [refused.id, url])
  scene.work({ onLog: line => lines.push(line) })
  const { affiliateId } = await scene.approve()
  const { body: affiliate } = await scene.api.get(`/affiliates/${affiliateId}`)
  const attempts = await eventually(() => {
    const found = lines.filter(({ msg }) => msg === 'delivery attempt')
    expect(found).toHaveLength(3)
    return found
  })
  expect(attempts.find(({ endpoint_id }) => endpoint_id === bad.id)).toMatchObject({
    account_id: scene.account.id,
    delivery_id: expect.any(Number),
    event_id: expect.any(Number),
    kind: 'promoter.approved',
    attempt: 1,
    host: `127.0.0.1:${scene.receiver.port}`,
    status: 500,
    duration_ms: expect.any(Number),
    error_stage: 'status',
    result: 'pending',
    retry_in_ms: expect.any(Number),
  })
  const everything = JSON.stringify(lines)
  const [received] = scene.receiver.at(good.path)
  const secrets = [good, bad, refused].flatMap(({ secret }) => [secret, secret.slice('whsec_'.length)])
  const signatures = ['tributary-signature', 'webhook-signature'].map(name => String(received?.headers[name]))
  const sensitive = [
    ...secrets,
    ...signatures,
    signatures[0]?.split('v1=')[1],
    affiliate.email,
    answer,
    'in-the-',
  ]
  expect(sensitive.filter(text => everything.includes(text))).toEqual([])
})
