// What PgBouncer in transaction mode costs: requests per second of the service through it, beside the service on the same
// PostgreSQL without it, once as usual and once with the statements that a pooler can carry.
//
//   node bench/pooler.js [--seconds 2] [--rounds 7] [--connections 32] [--json]
//
// Needs Debian's package pgbouncer. Everything is scratch and goes over unix sockets, and rounds alternate.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { fill, median, round, startService } from './service.js'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '7' },
    connections: { type: 'string', default: '32' },
    json: { type: 'boolean', default: false },
  },
})

const POOLER_PORT = 6432
const NOBODY = 65_534
const asNobody = process.getuid() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

async function startPgBouncer(folder, socket, password) {
  const config = join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `tributary = host=${socket} port=5432`,
    '[pgbouncer]',
    'listen_addr =',
    `listen_port = ${POOLER_PORT}`,
    `unix_socket_dir = ${folder}`,
    'pool_mode = transaction',
    'default_pool_size = 10',
    'auth_type = plain',
    `auth_file = ${join(folder, 'roles.txt')}`,
  ]
  await writeFile(config, `${lines.join('\n')}\n`)
  await writeFile(join(folder, 'roles.txt'), `"tributary_service" "${password}"\n`)
  // Like PostgreSQL it refuses to run as root.
  for (const path of asNobody.uid ? [folder, config, join(folder, 'roles.txt')] : [])
    await chown(path, NOBODY, NOBODY)
  const child = spawn('/usr/sbin/pgbouncer', ['-q', config], { ...asNobody, stdio: 'ignore' })
  const connection = { host: folder, port: POOLER_PORT, user: 'tributary_service', password }
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ ...connection, database: 'tributary' })
    try {
      await client.connect()
      await client.end()
      return child
    } catch (error) {
      if (attempt > 50) throw error
      await sleep(100)
    }
  }
}

const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
await chmod(folder, 0o755)
const dataDir = join(folder, 'data')
const direct = await startService({ TRIBUTARY_DATA_DIR: dataDir })
const load = fork(join(dirname(fileURLToPath(import.meta.url)), 'load.js'))
const started = [direct.child]
const rates = {}
try {
  const keys = await fill(direct)
  const { service: password } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
  const socket = join(await realpath(join(dataDir, 'postgres')), 'socket')
  const home = await mkdtemp(join(folder, 'pgbouncer-'))
  const url = (host, port) =>
    `postgres:///tributary?host=${host}&port=${port}&user=tributary_service&password=${password}`
  const secret = (await readFile(join(dataDir, 'secret.key'), 'utf8')).trim()
  const pooled = { TRIBUTARY_DATABASE_POOLER: 'transaction', TRIBUTARY_SECRET_KEY: secret }
  // Only a service that migrates needs an owner; this one finds nothing left to do.
  const { owner } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
  const migrate = `postgres:///tributary?host=${socket}&port=5432&user=tributary_owner&password=${owner}`
  const start = async DATABASE_URL => {
    const service = await startService({
      ...pooled,
      DATABASE_URL,
      TRIBUTARY_MIGRATION_DATABASE_URL: migrate,
    })
    started.unshift(service.child)
    return service
  }
  started.push(await startPgBouncer(home, socket, password))
  const services = {
    direct,
    'direct, unnamed': await start(url(socket, 5432)),
    PgBouncer: await start(url(home, POOLER_PORT)),
  }
  const job = {
    name: 'get',
    path: '/api/v1/affiliates/1',
    keys,
    seconds: Number(values.seconds),
    connections: Number(values.connections),
  }
  for (let i = 0; i < Number(values.rounds); i++)
    for (const [name, service] of Object.entries(services)) {
      rates[name] ??= []
      rates[name].push(await round(load, { ...job, url: service.url }))
    }
} finally {
  load.kill()
  for (const child of started) {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  await rm(folder, { recursive: true, force: true })
}
const results = Object.entries(rates).map(([name, all]) => ({
  name,
  rate: Math.round(median(all)),
  ratio: Number((median(all) / median(rates.direct)).toFixed(2)),
}))
if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`)
else console.table(results)
