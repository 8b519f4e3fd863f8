// Requests per second of the service beside a bare node:http server that does the least possible, in one run.
//
//   npm run bench -- [get] [sale] [click] [--seconds 2] [--rounds 5] [--connections 32] [--json]
//
// Everything is scratch: the service on an embedded PostgreSQL in a temporary directory, the yardstick and the load in
// processes of their own, on loopback. Rounds alternate, since the machine is rarely idle; medians count. It stops by itself.
import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = dirname(fileURLToPath(import.meta.url))
const program = join(here, '../server/bin/tributary.js')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    json: { type: 'boolean', default: false },
  },
})

const median = numbers => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]

async function startService(dataDir) {
  const env = {
    ...process.env,
    TRIBUTARY_DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
    TRIBUTARY_RATE_LIMIT_PER_MINUTE: '100000000',
  }
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  while (!/listening on (\S+)/.test(output)) output += (await once(child.stdout, 'data'))[0]
  const run = (...args) =>
    execFileSync(process.execPath, [program, ...args], { env, encoding: 'utf8' }).trim()
  return { child, run, url: /listening on (\S+)/.exec(output)[1] }
}

/** One account with what the benchmarks ask for: an approved affiliate and a referred customer. */
async function fill({ run, url }) {
  const keys = []
  run('account', 'create', '--name', 'Bench', '--email', 'b@example.com', '--password', 'correct horse')
  for (let i = 0; i < 4; i++)
    keys.push(run('key', 'create', '--account', '1', '--name', `bench ${i}`).split('\n').at(-1))
  run('campaign', 'create', '--account', '1', '--name', 'Bench', '--destination-url', 'https://shop.example/')
  const send = async (method, path, body) => {
    const headers = { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`)
  }
  await send('POST', '/api/v1/affiliates', { email: 'jane@example.com', campaign_id: 1, token: 'jane' })
  await send('PATCH', '/api/v1/affiliates/1', { status: 'approved' })
  for (let i = 0; i < 64; i++)
    await send('POST', '/ingest/v1/conversions', {
      campaign_id: 1,
      customer_ref: `customer-${i}`,
      token: 'jane',
    })
  return keys
}

const paths = { get: '/api/v1/affiliates/1', sale: '/ingest/v1/sales', click: '/r/bench/jane' }

/** Asks a process for one round of load and returns requests per second. */
async function round(load, job) {
  load.send(job)
  const [{ rate, failures }] = await once(load, 'message')
  if (failures > 0) throw new Error(`${failures} requests failed: ${JSON.stringify(job)}`)
  return rate
}

const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
const dataDir = join(folder, 'data')
const service = await startService(dataDir)
const load = fork(join(here, 'load.js'))
const results = []
try {
  const keys = await fill(service)
  const { service: password } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
  const socket = join(dataDir, 'postgres/socket')
  const bare = fork(join(here, 'bare.js'), [socket, password])
  const [{ port }] = await once(bare, 'message')
  for (const name of positionals.length > 0 ? positionals : Object.keys(paths)) {
    const job = {
      name,
      path: paths[name],
      keys,
      seconds: Number(values.seconds),
      connections: Number(values.connections),
    }
    const rates = { service: [], bare: [] }
    for (let i = 0; i < Number(values.rounds); i++) {
      rates.service.push(await round(load, { ...job, url: service.url }))
      rates.bare.push(await round(load, { ...job, url: `http://127.0.0.1:${port}` }))
    }
    const row = { name, service: Math.round(median(rates.service)), bare: Math.round(median(rates.bare)) }
    results.push({ ...row, ratio: Number((row.service / row.bare).toFixed(2)) })
  }
  bare.kill()
} finally {
  load.kill()
  service.child.kill('SIGTERM')
  await once(service.child, 'exit')
  await rm(folder, { recursive: true, force: true })
}
await writeFile(join(here, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`)
else console.table(results)
