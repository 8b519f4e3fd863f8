/** Protects accounts from each other: however many endpoints of one hang, the slots of a worker are never all theirs. */
import { afterEach, expect, it } from 'vitest'
import { SecretBox } from '../../src/kit/secret-box.ts'
import { type ClaimLimits, claimDeliveries } from '../../src/webhooks/delivery/claim-deliveries.store.ts'
import { buildAccount, unique } from '../factories.ts'
import { TEST_SECRET_KEY } from '../harness.ts'
import { behaviours } from './receiver.ts'
import { emit, eventually, useDeliveries } from './scene.ts'

const scene = useDeliveries()
const secrets = new SecretBox(TEST_SECRET_KEY)
const SLOTS = 512

/** Endpoints of another account, past the limit that the service sets. */
async function crowd(endpoints: number, path: string): Promise<number> {
  const { id } = await buildAccount(scene.database)
  await scene.database.owner.query(
    `INSERT INTO webhook_endpoints (account_id, url, events, status, sealed_secret)
     SELECT $1, $2 || n, '{promoter.approved}', 'active', $3 FROM generate_series(1, $4::integer) n`,
    [id, scene.receiver.url(path), secrets.seal('webhook secret', id, 'whsec_c2VjcmV0'), endpoints],
  )
  return id
}

const claim = async (limits: Partial<ClaimLimits>) => {
  const claimed = await claimDeliveries(
    scene.database.db,
    { offsetMs: 0 },
    {
      free: SLOTS,
      freeForFailing: SLOTS / 2,
      perNewEndpoint: 2,
      perFailingEndpoint: 1,
      known: new Map(),
      accounts: new Map(),
      ...limits,
    },
  )
  const counts = new Map<number, number>()
  for (const { account_id } of claimed) counts.set(account_id, (counts.get(account_id) ?? 0) + 1)
  return counts
}

const forgetLeases = () => scene.database.owner.query('UPDATE deliveries SET leased_until = NULL')
afterEach(() => scene.database.owner.query('DELETE FROM deliveries'))

it('delivers of another account while hundreds of endpoints hang', async () => {
  const path = `/${unique('hanging')}-`
  for (let n = 1; n <= 300; n++) scene.receiver.behave(`${path}${n}`, behaviours.hang)
  const hanging = await crowd(300, path)
  const endpoint = await scene.subscribe()
  // None of them is given up while the test looks.
  scene.work({ timeoutMs: 600_000 })
  const open = () => scene.receiver.received.filter(each => each.path.startsWith(path)).length
  await emit(scene.database.db, hanging, 2)
  await eventually(() => expect(open()).toBeGreaterThanOrEqual(SLOTS / 2))
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(1, endpoint.path)
  expect(open()).toBe(SLOTS / 2)
})

it('one account stops at half of the slots, three at a quarter each, and the next one finds room', async () => {
  const first = await crowd(300, '/a')
  await emit(scene.database.db, first, 2)
  expect(await claim({})).toEqual(new Map([[first, SLOTS / 2]]))
  await forgetLeases()
  const [second, third] = [await crowd(300, '/b'), await crowd(300, '/c')]
  await emit(scene.database.db, second, 2)
  await emit(scene.database.db, third, 2)
  const quarter = SLOTS / 4
  const shares = [first, second, third].map(id => [id, quarter] as const)
  expect(await claim({})).toEqual(new Map(shares))
  // None of the three gets more until one of its attempts ends; an account without any does.
  const fourth = await crowd(1, '/d')
  await emit(scene.database.db, fourth, 2)
  const accounts = new Map(shares)
  expect(await claim({ free: SLOTS - 3 * quarter, accounts })).toEqual(new Map([[fourth, 2]]))
})

it('the account with the fewest attempts in flight is served first', async () => {
  const [busy, idle] = [await crowd(40, '/a'), await crowd(40, '/b')]
  await emit(scene.database.db, busy)
  await emit(scene.database.db, idle)
  const counts = await claim({ free: 60, accounts: new Map([[busy, 20]]) })
  const [ofBusy, ofIdle] = [counts.get(busy) as number, counts.get(idle) as number]
  // Both end up with as much as each other, and as much as is left free.
  expect(Math.abs(20 + ofBusy - ofIdle)).toBeLessThanOrEqual(1)
  expect(Math.abs(60 - ofBusy - ofIdle - ofIdle)).toBeLessThanOrEqual(1)
})

it('endpoints that keep failing share half of the slots, of however many accounts they are', async () => {
  const accounts = await Promise.all(Array.from({ length: 6 }, () => crowd(100, '/f')))
  await scene.database.owner.query('UPDATE webhook_endpoints SET failing_since = now()')
  for (const id of accounts) await emit(scene.database.db, id)
  const total = async (freeForFailing: number) =>
    [...(await claim({ freeForFailing })).values()].reduce((sum, count) => sum + count, 0)
  expect(await total(100)).toBe(100)
  expect(await total(0)).toBe(0)
})

it('an account with one endpoint and a long queue takes no more than the endpoint gets', async () => {
  const backlog = await crowd(1, '/g')
  await emit(scene.database.db, backlog, 500)
  const other = await crowd(1, '/h')
  await emit(scene.database.db, other)
  expect(await claim({})).toEqual(
    new Map([
      [backlog, 2],
      [other, 1],
    ]),
  )
})
