import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { programOptions, runProgram, type ServerUser } from '@tributary/embedded-postgres/run-program'
import { chooseServerUser } from '@tributary/embedded-postgres/unprivileged-user'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { temporaryRoot } from '../../testing/temporary-root.ts'
import { projectRoot } from '../src/paths.ts'
import { createTemplate, type TestServer } from './template-database.ts'

const READY_MS = 60_000

/**
 * No test loses power, so nothing has to reach the disk: without fsync and without waiting for the log a commit waits for nothing, and a
 * database is copied as fast as memory allows. What PostgreSQL has committed outlives a kill of the service; it isn't killed itself here.
 */
const SETTINGS = [
  ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'checkpoint_timeout=1h'],
  ...['wal_level=minimal', 'max_wal_senders=0'],
  // Hundreds of databases that live for seconds: nothing in them is worth tidying up, compiling a statement for, or starting more processes.
  ...['autovacuum=off', 'jit=off', 'max_parallel_workers_per_gather=0'],
  ...['max_connections=600', 'listen_addresses='],
]

/** A PostgreSQL as the operator's own would be, with manually created roles, in a directory that is removed when the tests end. */
export async function startPostgres(
  project: TestProject,
  name: string,
  findBinaries: (home: string, user: ServerUser | undefined) => Promise<string>,
  more: string[] = [],
): Promise<() => Promise<void>> {
  // The pages and the SDK that the tests ask for are those of the build.
  await promisify(execFile)(process.execPath, [join(projectRoot, 'server/bin/build.js'), 'stale'])
  const home = await mkdtemp(join(temporaryRoot, `tributary-${name}-`))
  const data = join(home, 'data')
  const user = await chooseServerUser(data)
  if (user) await chown(home, user.uid, user.gid)
  const bin = await findBinaries(home, user)
  const cluster = { bin, home, user }
  await createCluster(cluster)
  const server = startCluster(cluster, [...SETTINGS, ...more])
  const at = (role: string) => ({ host: home, port: 5432, database: 'postgres', user: role, password: '' })
  const postgres = { admin: at('postgres'), owner: at('tributary_owner'), service: at('tributary_service') }
  const client = await connectWhenReady(postgres.admin)
  await client.query('CREATE ROLE tributary_owner LOGIN; CREATE ROLE tributary_service LOGIN')
  await client.end()
  await createTemplate(postgres)
  project.provide('postgres', postgres)
  return async () => {
    await stopCluster(server)
    await rm(home, { recursive: true })
  }
}

export interface Cluster {
  bin: string
  /** Holds its data and its socket. */
  home: string
  user: ServerUser | undefined
}

export async function createCluster({ bin, home, user }: Cluster): Promise<void> {
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  const made = await runProgram(join(bin, 'initdb'), ['-D', join(home, 'data'), ...options], { user })
  if (!made.succeeded) throw new Error(made.output)
}

export function startCluster({ bin, home, user }: Cluster, settings: string[]): ChildProcess {
  const options = [...settings, `unix_socket_directories=${home}`].flatMap(setting => ['-c', setting])
  const server = spawn(join(bin, 'postgres'), ['-D', join(home, 'data'), ...options], {
    ...programOptions(user),
    stdio: 'ignore',
  })
  // Also where the run is broken off, which ends nothing in order.
  process.once('exit', () => server.kill('SIGQUIT'))
  return server
}

export async function stopCluster(server: ChildProcess): Promise<void> {
  const isRunning = server.exitCode === null && server.signalCode === null
  const gone = isRunning ? once(server, 'exit') : undefined
  server.kill('SIGINT')
  await gone
}

export async function connectWhenReady(admin: TestServer['admin']): Promise<pg.Client> {
  for (const deadline = Date.now() + READY_MS; ; await sleep(20)) {
    const client = new pg.Client(admin)
    try {
      await client.connect()
      return client
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}
