// Starts the service for the benchmarks: on an embedded PostgreSQL in a temporary directory, which is removed at the end.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const program = join(dirname(fileURLToPath(import.meta.url)), '../server/bin/tributary.js')

/** An account with four keys: the rate limit is per key, and stays enabled with a limit that is never reached. */
const KEYS = 4

/** Runs the program on a free port until it listens. */
export async function serve(settings, ...args) {
  const env = {
    ...process.env,
    PORT: '0',
    TRIBUTARY_RATE_LIMIT_PER_MINUTE: '100000000',
    ...settings,
  }
  const child = spawn(process.execPath, [program, 'serve', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  while (!/listening on (\S+)/.test(output)) output += (await once(child.stdout, 'data'))[0]
  // Logging is part of the work; drain the output so that it does not block.
  child.stdout.resume()
  return {
    url: /listening on (\S+)/.exec(output)[1],
    pid: child.pid,
    run: (...command) =>
      execFileSync(process.execPath, [program, ...command], { env, encoding: 'utf8' }).trim(),
    /** Starts a command and returns its process. */
    spawn: (...command) =>
      spawn(process.execPath, [program, ...command], { env, stdio: ['ignore', 'pipe', 'inherit'] }),
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Creates account 1 with its keys and campaigns 1 and 2 on an empty installation. */
function openAccount({ run }) {
  run('account', 'create', '--name', 'Bench', '--email', 'b@example.com', '--password', 'correct horse')
  for (const name of ['First', 'Second'])
    run(
      ...['campaign', 'create', '--account', '1', '--name', name, '--minimum-payout-minor', '0'],
      ...['--destination-url', 'https://shop.example/'],
    )
  return Array.from({ length: KEYS }, (_, index) =>
    run('key', 'create', '--account', '1', '--name', `bench ${index}`).split('\n').at(-1),
  )
}

/** Creates a webhook endpoint; returns its id. */
export async function subscribe({ url, keys }, destination, ...events) {
  const response = await fetch(`${url}/api/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: destination, events }),
  })
  if (!response.ok) throw new Error(`Failed to create the endpoint: ${await response.text()}`)
  return (await response.json()).id
}

/** Deletes a webhook endpoint, whose deliveries end with it. */
export async function unsubscribe({ url, keys }, id) {
  const response = await fetch(`${url}/api/v1/webhook_endpoints/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${keys[0]}` },
  })
  if (!response.ok) throw new Error(`Failed to delete the endpoint: ${await response.text()}`)
}

/** The connection to the embedded PostgreSQL: as the service, or as the owner of the tables. */
export async function connection(dataDir, role = 'service') {
  const passwords = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
  return {
    host: join(dataDir, 'postgres/socket'),
    port: 5432,
    user: `tributary_${role}`,
    password: passwords[role],
    database: 'tributary',
  }
}

/** Runs `work` as the owner of the tables. */
export async function withOwner(dataDir, work) {
  const client = new pg.Client(await connection(dataDir, 'owner'))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Autovacuum analyzes tables once a minute; before that, the planner assumes that they are empty. */
export const settle = dataDir => withOwner(dataDir, owner => owner.query('VACUUM ANALYZE'))

/** Provides an empty directory that is removed afterwards. */
export async function inScratch(work) {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs `work` with a service and an account filled by `fill`. */
export function withService(fill, work, ...args) {
  return inScratch(async dataDir => {
    const service = await serve({ TRIBUTARY_DATA_DIR: dataDir }, ...args)
    try {
      const keys = openAccount(service)
      await withOwner(dataDir, owner => fill(owner))
      return await work({ ...service, keys, dataDir })
    } finally {
      await service.stop()
    }
  })
}
