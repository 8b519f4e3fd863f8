/** Row 27, exports: downloads that are never read, by a viewer and by affiliates, do not block other requests and are closed in the end. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportMeasurement, sized } from '../../testing/size.ts'
import { Unread } from '../../testing/unread.ts'
import { api } from '../support/api.ts'
import { withOwner } from '../support/embedded-sql.ts'
import { createProgramme, type Programme } from '../support/programme.ts'
import { type Service, serve } from '../support/service.ts'
import { newDataDir } from '../support/temporary.ts'
import { until } from '../support/until.ts'
import { percentile } from './samples.ts'

const UNREAD = sized(12, 60)
const ENTRIES = sized(20_000, 120_000)
const STALL_SECONDS = 10
const LOAD_MS = sized(5_000, 30_000)
const CALLERS = 4

let service: Service
let programme: Programme
let dataDir: string
let affiliateId: number
const opened: Unread[] = []

beforeAll(async () => {
  dataDir = await newDataDir()
  const env = {
    TRIBUTARY_DATA_DIR: dataDir,
    TRIBUTARY_EXPORT_STALL_SECONDS: String(STALL_SECONDS),
    TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000',
    LOG_LEVEL: 'warn',
  }
  service = await serve(env)
  programme = await createProgramme(env)
  const client = api(service.url, programme.key)
  const { id } = await client.affiliates.create({
    email: 'jane@example.com',
    campaign_id: programme.campaignId,
  })
  await client.affiliates.update(id, { status: 'approved' })
  affiliateId = id
  await withOwner(dataDir, owner =>
    owner.query(
      `INSERT INTO commissions (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency,
         payout_amount_minor, payout_currency, status, description)
       SELECT $1, $2, $3, 'adjustment', 'affiliate', 1, 'USD', 1, 'USD', 'approved', repeat('x', 500) FROM generate_series(1, $4::integer)`,
      [programme.accountId, programme.campaignId, id, ENTRIES],
    ),
  )
}, 120_000)
afterAll(() => {
  for (const each of opened) each.leave()
})

const cookieOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')

async function viewerCookie(): Promise<string> {
  const signedIn = await fetch(`${service.url}/dashboard/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url },
    body: JSON.stringify(programme.owner),
  })
  expect(signedIn.status).toBe(200)
  await withOwner(dataDir, owner => owner.query("UPDATE memberships SET role = 'viewer'"))
  return cookieOf(signedIn)
}

async function affiliateCookie(): Promise<string> {
  const { url } = await api(service.url, programme.key).affiliates.createMagicLink(affiliateId)
  const arrived = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: service.url },
  })
  expect(arrived.status).toBe(303)
  return cookieOf(arrived)
}

async function metric(pattern: RegExp): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(pattern.exec(text)?.[1])
}
const memoryMiB = async () => (await metric(/^tributary_process_resident_memory_bytes (\S+)$/m)) / 2 ** 20
const exporting = () => metric(/^tributary_database_connections\{state="exporting"\} (\d+)$/m)

/** Other clients, each sending one request after the other until the time is up. */
async function callOthers(cookie: string): Promise<{ ms: number[]; failed: number }> {
  const paths: [string, Record<string, string>][] = [
    ['/api/v1/affiliates', { authorization: `Bearer ${programme.key}` }],
    [`/api/v1/commissions?affiliate_id=${affiliateId}`, { authorization: `Bearer ${programme.key}` }],
    [`/dashboard/api/accounts/${programme.accountId}/commissions`, { cookie }],
    [`/portal/${programme.slug}`, {}],
  ]
  const result = { ms: [] as number[], failed: 0 }
  const end = performance.now() + LOAD_MS
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      for (let turn = caller; performance.now() < end; turn++) {
        const [path, headers] = paths[turn % paths.length] as (typeof paths)[number]
        const begun = performance.now()
        const response = await fetch(service.url + path, { headers })
        await response.arrayBuffer()
        result.ms.push(performance.now() - begun)
        if (!response.ok) result.failed++
        await sleep(20)
      }
    }),
  )
  return result
}

test(`${UNREAD} unread exports block no other request, and are closed`, async () => {
  const viewer = await viewerCookie()
  const affiliate = await affiliateCookie()
  // Warmed up, so that only the exports make a difference.
  await callOthers(viewer)
  const before = await memoryMiB()
  const files: [string, string][] = [
    [`/dashboard/api/accounts/${programme.accountId}/commissions.csv`, viewer],
    [`/portal/${programme.slug}/api/statement.csv`, affiliate],
    [`/portal/${programme.slug}/api/statement.pdf`, affiliate],
  ]
  const statuses = new Map<number, number>()
  for (let each = 0; each < UNREAD; each++) {
    const [path, cookie] = files[each % files.length] as [string, string]
    const { status, unread } = Unread.get(service.url, path, { cookie, connection: 'close' })
    opened.push(unread)
    status.then(
      code => statuses.set(code, (statuses.get(code) ?? 0) + 1),
      () => undefined,
    )
  }
  let most = before
  const watching = new AbortController()
  const watch = (async () => {
    while (!watching.signal.aborted) {
      most = Math.max(most, await memoryMiB())
      await sleep(250)
    }
  })()
  const { ms, failed } = await callOthers(viewer)
  watching.abort()
  await watch
  await until('no export holds a connection', async () => (await exporting()) === 0)
  // Drain the kernel's buffers; then the connections have ended.
  for (const each of opened) each.discard()
  await Promise.all(opened.map(({ closed }) => closed))
  const grown = most - before
  const p99 = percentile(ms, 0.99)
  const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  reportMeasurement({
    row: 27,
    what: `${UNREAD} unread exports (${counts}): other callers’ p99 in ms`,
    value: Math.round(p99),
    bar: '≤ 250',
    holds: p99 <= 250,
  })
  reportMeasurement({
    row: 27,
    what: 'requests of others that failed',
    value: `${failed} of ${ms.length}`,
    bar: '0',
    holds: failed === 0,
  })
  reportMeasurement({
    row: 27,
    what: 'memory grown in MiB',
    value: Math.round(grown),
    bar: '≤ 100',
    holds: grown <= 100,
  })
  expect([...statuses.keys()].filter(status => status >= 500)).toEqual([])
  expect(failed).toBe(0)
  expect(p99).toBeLessThanOrEqual(250)
  expect(grown).toBeLessThanOrEqual(100)
}, 300_000)
