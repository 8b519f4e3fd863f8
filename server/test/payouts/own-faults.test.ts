/** A database error is never reported as a PayPal error, and loses nothing. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { faults } from '../../../testing/fake-paypal.ts'
import { Database } from '../../src/db/database.ts'
import { OpenRails } from '../../src/money/payouts/open-rails.ts'
import { processSubmissions } from '../../src/money/payouts/process-submissions.ts'
import { asAdmin } from '../delivery/admin.ts'
import { eventually } from '../delivery/scene.ts'
import { secrets, useRail } from './rail-scene.ts'

const scene = useRail()
const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

/** The same database through a network that can be cut, as the service connects to it. */
async function overCuttableNetwork(): Promise<{ db: Database; rails: OpenRails; cut(): void }> {
  const { service } = scene.database
  const { host = '', port = 5432 } = service
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const upstream = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port}`)
      : connect({ host, port: Number(port) })
    for (const [one, two] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined).on('close', () => two.destroy())
      one.pipe(two)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: cuttable } = server.address() as AddressInfo
  const db = new Database({ ...service, host: '127.0.0.1', port: cuttable }, () => undefined)
  const rails = new OpenRails({ db, secrets, settings: { TRIBUTARY_PAYPAL_URL: scene.paypal.url } })
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  open.push({ close: async () => void server.close() }, db, rails)
  return { db, rails, cut }
}

/** Runs a call to PayPal, and cuts the network while it waits for a lock to record the outcome. */
async function cutWhileRecording(work: (db: Database, rails: OpenRails) => Promise<unknown>, locked: string) {
  const { db, rails, cut } = await overCuttableNetwork()
  const blocker = await scene.database.owner.connect()
  try {
    await blocker.query('BEGIN')
    await blocker.query(locked, [scene.accountId])
    const working = work(db, rails).then(
      () => 'done',
      error => error as Error,
    )
    await eventually(async () =>
      expect(
        await asAdmin(`SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`, [
          scene.database.service.database,
        ]),
      ).toHaveLength(1),
    )
    cut()
    return await working
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
}

const itemsLocked = 'SELECT id FROM payout_items WHERE account_id = $1 FOR UPDATE'

it('a connection that drops while outcomes are written down is ours, and they are asked for again', async () => {
  await scene.earners(2)
  const id = await scene.start()
  await scene.ask()
  expect((await scene.books.submissions())[0]?.status).toBe('accepted')
  await scene.books.passTime()
  const failure = await cutWhileRecording((db, rails) => processSubmissions(db, rails), itemsLocked)
  expect(String(failure)).toMatch(/Connection terminated|ECONNRESET|EPIPE/)
  expect((await scene.books.submissions())[0]?.problem).toBeNull()
  expect(await scene.askUntilEnded(id)).toBe('paid')
  await scene.books.expectExact(scene.bank)
})

it('a connection that PayPal drops is PayPal’s problem', async () => {
  await scene.earners(1)
  const id = await scene.start()
  await scene.ask()
  scene.paypal.next('poll', faults.resetBefore)
  await scene.ask()
  expect((await scene.books.submissions())[0]?.problem).toMatch(/reset|closed|socket/i)
  expect(await scene.askUntilEnded(id)).toBe('paid')
})
