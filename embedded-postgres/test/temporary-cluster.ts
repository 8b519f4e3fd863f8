import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Client, type QueryResultRow } from 'pg'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, expect } from 'vitest'
import { findHome } from '../src/cluster-home.ts'
import {
  type ConnectionSettings,
  type EmbeddedPostgres,
  launchEmbeddedPostgres,
} from '../src/embedded-postgres.ts'
import { findPostmaster } from '../src/postmaster.ts'

/** Some program that uses the package: no name is special. */
const PROGRAM = 'some_program'

/** What the tests of this folder share. After each test no process is left, and after each file no directory. */
const directories: string[] = []
let dataDirs: string[] = []
let started: EmbeddedPostgres[] = []
let servers: ChildProcess[] = []
export let logged: { level: 'info' | 'warn'; msg: string }[] = []

/** Pass 0o755 where root's cluster shall stay below the directory and not move to /var/lib. */
export async function temporaryDirectory(mode = 0o700): Promise<string> {
  const directory = await realpath(await mkdtemp('/tmp/embedded-postgres-test-'))
  await chmod(directory, mode)
  directories.push(directory)
  return directory
}

export async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const log = {
    info: (msg: string) => logged.push({ level: 'info', msg }),
    warn: (msg: string) => logged.push({ level: 'warn', msg }),
  }
  dataDirs.push(dataDir)
  const postgres = await launchEmbeddedPostgres({ program: PROGRAM, dataDir, log })
  await postgres.ready
  started.push(postgres)
  return postgres
}

export async function query<Row extends QueryResultRow>(to: ConnectionSettings, sql: string): Promise<Row[]> {
  const client = new Client({ ...to, ssl: false })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

export async function postmasterPid(dataDir: string): Promise<number | undefined> {
  const home = await findHome(dataDir)
  return home === undefined ? undefined : findPostmaster(join(home, 'data'))
}

/** Another server process on the data directory. It says `ready`, and closes when its input ends. */
export async function spawnServer(dataDir: string): Promise<ChildProcess> {
  dataDirs.push(dataDir)
  const directory = await temporaryDirectory()
  const bundle = await rolldown({
    input: join(import.meta.dirname, '../src/embedded-postgres.ts'),
    external: ['pg'],
    platform: 'node',
  })
  const file = join(directory, 'embedded-postgres.mjs')
  await bundle.write({ file })
  const modules = dirname(dirname(createRequire(import.meta.url).resolve('pg/package.json')))
  await symlink(modules, join(directory, 'node_modules'))
  const program = `
    const [, bundle, program, dataDir] = process.argv
    const { launchEmbeddedPostgres } = await import(bundle)
    const log = { info() {}, warn() {} }
    const postgres = await launchEmbeddedPostgres({ program, dataDir, log })
    await postgres.ready
    console.log('ready')
    process.stdin.on('end', () => postgres.close()).resume()`
  const server = spawn(process.execPath, ['--input-type=module', '-e', program, file, PROGRAM, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  servers.push(server)
  return server
}

export async function ready(server: ChildProcess): Promise<void> {
  if (!server.stdout) return expect.unreachable()
  // A server that fails ends its output without a word, and the reason is on our standard error.
  const [said] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')])
  expect(String(said)).toBe('ready\n')
}

export async function killServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  server.kill('SIGKILL')
  await once(server, 'exit')
}

afterEach(async () => {
  await Promise.all(servers.map(killServer))
  await Promise.all(started.map(postgres => postgres.close()))
  const leftRunning: number[] = []
  for (const dataDir of dataDirs) {
    const pid = await postmasterPid(dataDir).catch(() => undefined)
    if (pid === undefined) continue
    leftRunning.push(pid)
    process.kill(pid, 'SIGQUIT')
  }
  ;[dataDirs, started, servers, logged] = [[], [], [], []]
  expect(leftRunning).toEqual([])
})

afterAll(async () => {
  for (const directory of directories) {
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
})
