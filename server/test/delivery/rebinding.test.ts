/** Protects against names that change: the address that was checked is the one that is connected to. */
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { destinationPolicy } from '../../src/webhooks/delivery/destination.ts'
import { Sender } from '../../src/webhooks/delivery/send-attempt.ts'
import { PATIENCE_MS, Receiver } from './receiver.ts'

/** What each name resolves to, lookup by lookup; the last answer stays. */
const answers = new Map<string, string[][]>()
const lookups: string[] = []

// The program resolves through node:dns alone, and undici gets its addresses from that. The function is replaced in the
// module itself, since test files share what they have loaded.
const realLookup = dns.lookup
type Callback = (error: Error | null, addresses: { address: string; family: number }[]) => void
const fakeLookup = (name: string, ...rest: unknown[]) => {
  const known = answers.get(name)
  // Whatever else runs in this process is none of the test's business.
  if (!known) return Reflect.apply(realLookup, dns, [name, ...rest])
  lookups.push(name)
  const addresses = (known.length > 1 ? known.shift() : known[0]) as string[]
  const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  setImmediate(() => (rest.at(-1) as Callback)(null, found))
}
function replaceLookup(lookup: unknown): void {
  Object.assign(dns, { lookup })
  syncBuiltinESMExports()
}

/** 127.0.0.2 plays the outside: the operator allowed it, and nothing else on loopback. */
const policy = destinationPolicy(
  readSettings({ NODE_ENV: 'production', TRIBUTARY_WEBHOOK_ALLOW_CIDRS: '127.0.0.2/32' }),
)
let outside: Receiver
let trap: Receiver
let sender: Sender

beforeAll(async () => {
  replaceLookup(fakeLookup)
  outside = await Receiver.start('127.0.0.2')
  trap = await Receiver.start('127.0.0.1', outside.port)
})
beforeEach(() => {
  answers.clear()
  lookups.length = 0
  sender = new Sender(policy, PATIENCE_MS)
})
afterAll(async () => {
  replaceLookup(realLookup)
  await Promise.all([outside.close(), trap.close()])
})

const send = () => sender.send(`http://rebind.example:${outside.port}/`, {}, '{}')

it('refuses a name that has come to point inside since it was last used', async () => {
  answers.set('rebind.example', [['127.0.0.2'], ['127.0.0.1']])
  expect((await send()).status).toBe(200)
  // The connection that was checked may be used again; a new one is checked again.
  await sender.close()
  sender = new Sender(policy, PATIENCE_MS)
  expect((await send()).failure).toMatchObject({ stage: 'destination' })
  expect([lookups.length, trap.connections]).toEqual([2, 0])
  await sender.close()
})

it('looks a name up once for a connection, so there is no moment between check and use', async () => {
  answers.set('rebind.example', [['127.0.0.2'], ['127.0.0.1']])
  const before = outside.received.length
  expect((await send()).status).toBe(200)
  expect([lookups.length, outside.received.length - before, trap.connections]).toEqual([1, 1, 0])
  await sender.close()
})

it.each([
  [['127.0.0.1', '127.0.0.2']],
  [['169.254.169.254', '::1', '127.0.0.2']],
  [['::ffff:127.0.0.1', '10.0.0.1', '127.0.0.2']],
])('connects only to the allowed ones of %j', async addresses => {
  answers.set('rebind.example', [addresses])
  expect((await send()).status).toBe(200)
  expect(trap.connections).toBe(0)
  await sender.close()
})

it.each([
  [['127.0.0.1']],
  [['::1']],
  [['169.254.169.254']],
  [['10.0.0.1', '192.168.0.1', 'fd00::1']],
  [['::ffff:127.0.0.1']],
  [['64:ff9b::7f00:1']],
  [['fe80::1%lo']],
  [['0.0.0.0']],
  [[]],
])('refuses a name that resolves to %j', async addresses => {
  answers.set('rebind.example', [addresses])
  expect((await send()).failure?.stage).toBe('destination')
  expect([lookups.length, trap.connections]).toEqual([1, 0])
  await sender.close()
})
