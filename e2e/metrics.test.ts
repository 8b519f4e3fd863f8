/** Protects operators: /metrics exports every metric that the Grafana dashboard queries. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { freePort } from './support/free-port.ts'
import { startPayoutProgramme } from './support/payout-programme.ts'
import { checkout, type Env } from './support/program.ts'
import { startWorker } from './support/service.ts'
import { until } from './support/until.ts'

interface Panel {
  title: string
  type: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

const dashboard = JSON.parse(readFileSync(join(checkout, 'docs/grafana/tributary.json'), 'utf8')) as {
  panels: Panel[]
}
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr })),
)
/** Added by Prometheus when it scrapes, not by us. */
const LABELS_OF_PROMETHEUS = ['instance']

let env: Env
let metrics: string

/** The names and labels of all samples. */
function samples(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const [, name, labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = found.get(name as string) ?? new Set()
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label as string)
    found.set(name as string, known)
  }
  return found
}

beforeAll(async () => {
  // Nothing listens there, so an email stays queued.
  const unreachable = { TRIBUTARY_SMTP_URL: 'smtp://127.0.0.1:1' }
  const programme = await startPayoutProgramme(unreachable)
  const { client, service, runJson, campaign, campaignId, earner, key, close } = programme
  env = programme.env
  await earner('jane', 10_000)
  await runJson('payout', 'create', ...campaign)
  const post = (path: string, body: object) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, origin: service.url, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const sale = { external_id: 'in-euro', amount_minor: 100, currency: 'EUR' }
  await post('/ingest/v1/conversions', { campaign_id: campaignId, customer_ref: 'c', token: 'jane', sale })
  await post('/dashboard/api/password/reset', { email: programme.programme.owner.email })
  await client.campaigns.list().page()
  metrics = await until('all metrics are exported', async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    return /delivery_attempts_total\{outcome="delivered"\} 1/.test(text) && text
  })
  await close()
})

test('every metric and label that the dashboard names is in /metrics', () => {
  const known = samples(metrics)
  expect(queries.length).toBeGreaterThan(20)
  for (const { title, expr } of queries) {
    const names = expr.match(/\btributary_\w+/g) ?? []
    expect([title, names.length > 0]).toEqual([title, true])
    for (const name of names) expect([title, name, known.has(name)]).toEqual([title, name, true])
    const labels = [
      ...[...expr.matchAll(/(\w+)=~?"/g)].map(([, label]) => label as string),
      ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => (list as string).split(/,\s*/)),
    ].filter(label => !LABELS_OF_PROMETHEUS.includes(label))
    for (const label of labels)
      expect([title, label, names.some(name => known.get(name)?.has(label))]).toEqual([title, label, true])
  }
})

test('every metric of ours is on the dashboard', () => {
  const ours = [...metrics.matchAll(/^# TYPE (tributary_(?!nodejs_|process_)\w+)/gm)].map(([, name]) => name)
  expect(ours.length).toBeGreaterThan(12)
  const shown = queries.map(({ expr }) => expr).join('\n')
  expect(ours.filter(name => !shown.includes(name as string))).toEqual([])
})

test('its panels do not overlap', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
})

test('the values are correct: version, schema, routines and queues', () => {
  const { version } = JSON.parse(readFileSync(join(checkout, 'server/package.json'), 'utf8'))
  expect(metrics).toContain(`tributary_build_info{version="${version}"} 1\n`)
  expect(metrics).toMatch(/^tributary_schema_version [1-9]\d*$/m)
  expect(metrics).toMatch(/^tributary_routine_runs_total\{routine="release holds",result="done"\} [1-9]/m)
  expect(metrics).toMatch(/^tributary_routine_runs_total\{routine="release holds",result="failed"\} 0$/m)
  expect(metrics).toMatch(/^tributary_payout_items_open\{status="pending"\} 1$/m)
  expect(metrics).toMatch(/^tributary_payout_items_open\{status="processing"\} 0$/m)
  expect(metrics).toMatch(/^tributary_sales_awaiting_rate 1$/m)
  // The password reset, and notices to the affiliate once they are rendered.
  expect(metrics).toMatch(/^tributary_mails_waiting [1-3]$/m)
  expect(metrics).toMatch(/^tributary_delivery_queue_depth 0$/m)
  expect(metrics).toMatch(/^tributary_database_retries_total 0$/m)
})

test('a worker exports all metrics except those of requests', async () => {
  const port = await freePort()
  const worker = startWorker({ ...env, TRIBUTARY_WORKER_PORT: String(port) })
  const text = await until('the worker responds', () =>
    fetch(`http://127.0.0.1:${port}/metrics`).then(
      response => response.text(),
      () => undefined,
    ),
  )
  const typed = (from: string) => new Set([...from.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
  expect([...typed(metrics)].filter(name => !typed(text).has(name))).toEqual([
    'tributary_http_request_duration_seconds',
  ])
  expect(await worker.stop()).toBe(0)
})
