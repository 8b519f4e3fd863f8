// The cost of PgBouncer in transaction mode: the service's requests per second through it, compared with a direct connection to the same
// PostgreSQL, with and without prepared statements.
//
//   node bench/pooler.js [--seconds 2] [--rounds 7] [--connections 32] [--json]
//
// Needs Debian's pgbouncer package. Everything is temporary and uses unix sockets, and rounds alternate.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { fill } from '../testing/fill.js'
import { connection, serve, withService } from './service.js'
import { alternate } from './side-by-side.js'

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
  // Like PostgreSQL, it refuses to run as root.
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

const AFFILIATES = 10_000

const measured = await withService(
  owner => fill(owner, { affiliates: AFFILIATES, commissions: 0 }),
  async ({ url, keys, dataDir }) => {
    // PgBouncer runs as another user, who needs access to the socket.
    await chmod(dataDir, 0o755)
    const { password } = await connection(dataDir)
    const { password: ownersPassword } = await connection(dataDir, 'owner')
    const socket = join(await realpath(join(dataDir, 'postgres')), 'socket')
    const home = await mkdtemp(join(dataDir, 'pgbouncer-'))
    const address = (host, port, user, secret) =>
      `postgres:///tributary?host=${host}&port=${port}&user=tributary_${user}&password=${secret}`
    const through = async (host, port) =>
      serve({
        DATABASE_URL: address(host, port, 'service', password),
        TRIBUTARY_MIGRATION_DATABASE_URL: address(socket, 5432, 'owner', ownersPassword),
        TRIBUTARY_DATABASE_POOLER: 'transaction',
        TRIBUTARY_SECRET_KEY: (await readFile(join(dataDir, 'secret.key'), 'utf8')).trim(),
      })
    const pooler = await startPgBouncer(home, socket, password)
    const unnamed = await through(socket, 5432)
    const pooled = await through(home, POOLER_PORT)
    try {
      const job = { name: 'get', keys, affiliates: AFFILIATES, connections: Number(values.connections) }
      const length = { rounds: Number(values.rounds), seconds: Number(values.seconds), dataDir }
      return await alternate([url, unnamed.url, pooled.url], job, length)
    } finally {
      await unnamed.stop()
      await pooled.stop()
      pooler.kill('SIGTERM')
      await once(pooler, 'exit')
    }
  },
)
const results = ['direct', 'direct, unnamed', 'PgBouncer'].map((name, index) => ({
  name,
  rate: Math.round(measured[index].rate),
  ratio: Number((measured[index].rate / measured[0].rate).toFixed(2)),
}))
if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`)
else console.table(results)
