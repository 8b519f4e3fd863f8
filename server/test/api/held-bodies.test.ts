/** Protects callers from bodies that others keep open without a key: each kind of request has its own memory, small ones a reserve of it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { addConnector } from '../../src/connectors/manage-connectors.ts'
import { Visitor } from '../dashboard/visitor.ts'
import { useScene } from '../harness.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const MIB = 1024 * 1024
const STRANGER = '192.0.2.99'
let eventsPath: string
beforeAll(async () => {
  const { id } = await addConnector(scene.database.db, scene.app.services.secrets, scene.account.id, {
    provider: 'stripe',
    signingSecret: 'whsec_of_the_tests',
  })
  eventsPath = `/connect/stripe/${id}`
})

const open: Socket[] = []
/** Sends an event of 1 MiB but for its last byte. */
async function holdEvent(address: string): Promise<void> {
  const { hostname, port, host } = new URL(scene.app.url)
  const socket = connect(Number(port), hostname)
  // Refused while it's being sent, the connection may be reset.
  socket.on('error', () => undefined)
  open.push(socket)
  await once(socket, 'connect')
  const head = [`POST ${eventsPath} HTTP/1.1`, `host: ${host}`, `x-forwarded-for: ${address}`]
  socket.write(`${head.join('\r\n')}\r\ncontent-length: ${MIB}\r\n\r\n`)
  socket.write(Buffer.alloc(MIB - 1))
}
/** The status of an unsigned event of this size: 400, or 503 if there is no memory for it. */
const statusOfEvent = async (bytes: number, address = STRANGER): Promise<number> => {
  const { status } = await fetch(scene.app.url + eventsPath, {
    method: 'POST',
    headers: { 'x-forwarded-for': address },
    body: Buffer.alloc(bytes),
  })
  return status
}
/** Holds events open, of one address after another, until a complete one is refused. */
async function fill(addressOf: (n: number) => string, refused = STRANGER): Promise<void> {
  const holdAnother = async () => {
    await holdEvent(addressOf(open.length))
    return statusOfEvent(MIB, refused)
  }
  await expect.poll(holdAnother).toBe(503)
}
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy()
  await expect.poll(() => statusOfEvent(MIB)).toBe(400)
})

it('sign-in and small events are not refused while others hold large events open', async () => {
  await fill(n => `198.51.100.${Math.floor(n / 4)}`)
  const visitor = new Visitor(scene.app.url, STRANGER)
  expect((await visitor.signIn('unknown@example.com', 'wrong password')).status).toBe(401)
  expect(await statusOfEvent(32 * 1024)).toBe(400)
})

it('the networks of one site share what a caller may hold', async () => {
  await fill(n => `2001:db8:2:${n.toString(16)}::1`, '2001:db8:2:ffff::1')
  expect(await statusOfEvent(MIB)).toBe(400)
})
