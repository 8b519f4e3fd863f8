// How many events per second go the whole way: committed, claimed, signed, sent, acknowledged and recorded; beside a bare
// undici loop that posts the same bytes to the same receiver with the same concurrency.
//
//   node bench/deliver.js [--endpoints 8] [--events 250] [--rounds 5] [--json]
//
// Everything is scratch: an embedded PostgreSQL in a temporary directory, a receiver in a process of its own that answers
// 200 at once, and one `tributary worker` in another. Rounds alternate, since the machine is rarely idle; medians count.
// It stops by itself, after 60 seconds at the latest.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const SECRET_KEY = 'a secret key that only this benchmark knows'
/** What the worker allows itself for each endpoint; the bare loop gets as much. */
const CONCURRENCY_PER_ENDPOINT = 16
const LONGEST_RUN_MS = 60_000

/** Answers 200 to everything and tells how much came when asked. */
function runReceiver() {
  let received = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      received++
      response.end()
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
  process.on('message', () => process.send({ received }))
  process.on('disconnect', () => process.exit())
}

/** The parts of the service that the benchmark calls itself, built from the sources of the checkout. */
async function loadService(folder) {
  const { build } = await import('rolldown')
  const input = {
    postgres: 'db/embedded/embedded-postgres.ts',
    database: 'db/database.ts',
    outbox: 'outbox/record-event.ts',
    samples: 'webhook-endpoints/sample-events.ts',
    secrets: 'kit/secret-box.ts',
  }
  await build({
    input: Object.fromEntries(
      Object.entries(input).map(([name, path]) => [name, join(root, 'server/src', path)]),
    ),
    platform: 'node',
    external: id => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith('@tributary/'),
    output: { dir: folder, format: 'esm' },
    logLevel: 'warn',
  })
  const parts = await Promise.all(Object.keys(input).map(name => import(join(folder, `${name}.js`))))
  return Object.assign({}, ...parts)
}

const databaseUrl = ({ user, password, host, port, database }) =>
  `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`

async function startWorker({ service, owner }) {
  const worker = spawn(process.execPath, [join(root, 'server/bin/tributary.js'), 'worker'], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl(service),
      TRIBUTARY_MIGRATION_DATABASE_URL: databaseUrl(owner),
      TRIBUTARY_SECRET_KEY: SECRET_KEY,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const chunk of worker.stdout) if (String(chunk).includes('the worker runs')) break
  // Its log is part of the work; that nobody reads it must not stop it.
  worker.stdout.resume()
  return worker
}

async function prepare({ endpoints }, port, service, postgres) {
  const database = new service.Database(postgres.owner, error => console.error(error.message))
  const { rows } = await database.pool.query(
    `INSERT INTO accounts (name, slug) VALUES ('bench', 'bench') RETURNING id`,
  )
  const accountId = rows[0].id
  const sealed = new service.SecretBox(SECRET_KEY).seal(
    'webhook secret',
    accountId,
    `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  )
  for (let index = 0; index < endpoints; index++)
    await database.pool.query(
      `INSERT INTO webhook_endpoints (account_id, url, events, status, sealed_secret)
       VALUES ($1, $2, '{promoter.approved}', 'active', $3)`,
      [accountId, `http://127.0.0.1:${port}/hooks/${index}`, sealed],
    )
  return { database, accountId }
}

/** From the first commit until the last delivery is acknowledged and recorded. Events are committed eight at a time. */
async function deliver({ endpoints, events }, service, { database, accountId }) {
  const data = service.sampleEvents['promoter.approved']
  const started = performance.now()
  let left = events
  const commit = async () => {
    while (left-- > 0)
      await database.transaction(async tx => service.recordEvent(tx, accountId, 'promoter.approved', data))
  }
  await Promise.all(Array.from({ length: 8 }, commit))
  const committed = performance.now()
  for (;;) {
    const { rows } = await database.pool.query(
      `SELECT count(*)::integer AS left FROM deliveries WHERE status = 'pending'`,
    )
    if (rows[0].left === 0) break
    await sleep(10)
  }
  const seconds = (performance.now() - started) / 1000
  const { rows } = await database.pool.query('SELECT body FROM events LIMIT 1')
  await database.pool.query('TRUNCATE events, deliveries, delivery_attempts')
  return {
    perSecond: (events * endpoints) / seconds,
    commitsPerSecond: events / ((committed - started) / 1000),
    body: rows[0].body,
  }
}

/** The same bytes to the same paths, with nothing around it. */
async function post({ endpoints, events }, port, body, undici, dispatcher) {
  const started = performance.now()
  const lanes = Array.from({ length: endpoints }, (_, index) => {
    let left = events
    const url = `http://127.0.0.1:${port}/hooks/${index}`
    const lane = async () => {
      while (left-- > 0) {
        const answer = await undici.request(url, { method: 'POST', body, dispatcher })
        await answer.body.dump()
      }
    }
    return Array.from({ length: CONCURRENCY_PER_ENDPOINT }, lane)
  })
  await Promise.all(lanes.flat())
  return (events * endpoints) / ((performance.now() - started) / 1000)
}

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

async function run(size) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
  // Below the checkout, where the packages that it imports are found.
  const built = await mkdtemp(join(root, 'server/dist/bench-'))
  const cleanUp = [() => rm(dataDir, { recursive: true }), () => rm(built, { recursive: true })]
  try {
    const service = await loadService(built)
    const undici = await import(import.meta.resolve('undici', `file://${root}/server/package.json`))
    const log = { info: () => {}, warn: console.error }
    const postgres = await service.startEmbeddedPostgres({ dataDir, log })
    cleanUp.unshift(() => postgres.close())
    const receiver = fork(fileURLToPath(import.meta.url), ['receiver'])
    cleanUp.unshift(() => receiver.kill())
    const [{ port }] = await once(receiver, 'message')
    // The worker brings the schema along.
    const worker = await startWorker(postgres)
    cleanUp.unshift(async () => {
      worker.kill('SIGTERM')
      await once(worker, 'exit')
    })
    const scene = await prepare(size, port, service, postgres)
    cleanUp.unshift(() => scene.database.close())
    const dispatcher = new undici.Agent()
    cleanUp.unshift(() => dispatcher.close())

    const figures = { tributary: [], bare: [], commits: [] }
    // The first round warms everything up and does not count.
    for (let round = 0; round <= size.rounds; round++) {
      const delivered = await deliver(size, service, scene)
      const bare = await post(size, port, delivered.body, undici, dispatcher)
      if (round === 0) continue
      figures.tributary.push(delivered.perSecond)
      figures.commits.push(delivered.commitsPerSecond)
      figures.bare.push(bare)
    }
    receiver.send('how many?')
    const [{ received }] = await once(receiver, 'message')
    const expected = 2 * size.events * size.endpoints * (size.rounds + 1)
    if (received !== expected) throw new Error(`The receiver got ${received} requests and not ${expected}.`)
    return figures
  } finally {
    for (const step of cleanUp) await step()
  }
}

function report(size, figures, asJson) {
  const [tributary, bare, commits] = [figures.tributary, figures.bare, figures.commits].map(median)
  const result = {
    ...size,
    deliveries_per_second: Math.round(tributary),
    events_per_second: Math.round(tributary / size.endpoints),
    commits_per_second: Math.round(commits),
    bare_posts_per_second: Math.round(bare),
    ratio: Number((tributary / bare).toFixed(3)),
  }
  if (asJson) return console.log(JSON.stringify(result))
  console.log(`${size.rounds} rounds of ${size.events} events to ${size.endpoints} endpoints, medians:
  end to end  ${result.deliveries_per_second} deliveries/s, ${result.events_per_second} events/s (committed at ${result.commits_per_second} events/s)
  bare undici ${result.bare_posts_per_second} posts/s
  ratio       ${result.ratio}`)
}

if (process.argv[2] === 'receiver') runReceiver()
else {
  const { values } = parseArgs({
    options: {
      endpoints: { type: 'string', default: '8' },
      events: { type: 'string', default: '250' },
      rounds: { type: 'string', default: '5' },
      json: { type: 'boolean', default: false },
    },
  })
  const size = {
    endpoints: Number(values.endpoints),
    events: Number(values.events),
    rounds: Number(values.rounds),
  }
  const cutOff = setTimeout(() => {
    console.error(`Not done after ${LONGEST_RUN_MS / 1000} s: make it smaller.`)
    process.exit(1)
  }, LONGEST_RUN_MS)
  report(size, await run(size), values.json)
  clearTimeout(cutOff)
}
