/** Protects the inbox from what is not an event: a clear 4xx, a counter, and nothing stored. */
import { beforeAll, expect, it } from 'vitest'
import { processEvents } from '../../src/connectors/process-events.ts'
import { useOwnScene } from '../harness.ts'
import { type Billing, connectStripe, deliver, events, log, signed } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const scene = useOwnScene()
let billing: Billing
beforeAll(async () => {
  billing = await connectStripe(scene)
})

const paid = JSON.stringify(
  stripe.event('invoice.paid', stripe.invoice('in_1', { customer: 'cus_1' }), stripe.START),
)

/** The counters of billing events that are not 0. */
async function counted() {
  const text = await (await fetch(`${scene.app.url}/metrics`)).text()
  const found = text.matchAll(/^tributary_billing_events_(\w+)_total\{\w+="(\w+)"\} ([1-9]\d*)$/gm)
  return Object.fromEntries([...found].map(([, what, value, count]) => [`${what} ${value}`, Number(count)]))
}
const send = async (body: string, headers = { 'stripe-signature': signed(body) }, path?: string) =>
  (await deliver(scene, billing.connector, body, headers, path)).status

it('what is refused is counted by its reason and not stored', async () => {
  const old = Math.floor(Date.now() / 1000) - 3600
  const large = JSON.stringify({ text: 'x'.repeat(1024 * 1024) })
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`
  expect(await send(paid, { 'stripe-signature': 't=1,v1=0' })).toBe(400)
  expect(await send(paid, { 'stripe-signature': signed(paid, undefined, old) })).toBe(400)
  expect(await send('{}')).toBe(400)
  expect(await send(paid.replace('invoice.paid', 'invoice.framed'))).toBe(400)
  expect(await send(deep)).toBe(400)
  expect(await send(large)).toBe(413)
  expect(await send(paid, undefined, '/connect/stripe/999999')).toBe(404)
  expect(await send(paid, undefined, `/connect/paddle/${billing.connector.id}`)).toBe(404)
  expect(await counted()).toEqual({
    'refused signature': 1,
    'refused stale': 1,
    'refused malformed': 2,
    'refused unknown_type': 1,
    'refused too_large': 1,
    'refused unknown_connector': 2,
  })
  expect(await events(scene, billing)).toEqual([])
})

it('counts what is accepted, new or repeated, and what it ended as', async () => {
  expect([await send(paid), await send(paid)]).toEqual([200, 200])
  expect(await counted()).toMatchObject({ 'accepted new': 1, 'accepted repeated': 1 })
  const ended: string[] = []
  const leadKey = scene.app.services.secrets.key('lead email')
  await processEvents(scene.database.db, log, leadKey, { onProcessed: status => ended.push(status) })
  expect(ended).toEqual(['ignored'])
})
