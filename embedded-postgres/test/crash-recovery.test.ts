import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test, vi } from 'vitest'
import type { ConnectionSettings } from '../src/embedded-postgres.ts'
import {
  killServer,
  logged,
  postmasterPid,
  query,
  ready,
  spawnServer,
  start,
  temporaryDirectory,
} from './temporary-cluster.ts'

/** One cluster for the tests that do not need a new one; each starts and stops its PostgreSQL. */
let dataDir: string
beforeAll(async () => {
  dataDir = await temporaryDirectory()
})

async function killPostmaster(dataDir: string): Promise<number> {
  const pid = (await postmasterPid(dataDir)) ?? expect.unreachable()
  process.kill(pid, 'SIGKILL')
  return pid
}

/** How soon it is back on a machine at rest is measured by row 3 of the table of faults. */
const PATIENCE = { timeout: 60_000, interval: 20 }
const PATIENT = { timeout: 180_000 }

function usableAgain(service: ConnectionSettings): Promise<unknown> {
  return vi.waitFor(() => query(service, 'SELECT 1'), PATIENCE)
}

test(
  'after kill -9 of PostgreSQL it is back with all that was committed, time and again',
  PATIENT,
  async () => {
    const [first, second] = [await start(dataDir), await start(dataDir)]
    await query(first.owner, 'CREATE TABLE kept (n int)')
    for (let n = 1; n <= 3; n++) {
      await query(first.owner, `INSERT INTO kept VALUES (${n})`)
      const killed = await killPostmaster(dataDir)
      await usableAgain(second.service)
      expect(await postmasterPid(dataDir)).not.toBe(killed)
      expect(await query(first.owner, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n }])
      await vi.waitFor(
        () => expect(logged.filter(line => line.msg.includes('available again'))).toHaveLength(2 * n),
        PATIENCE,
      )
    }
    expect(logged.filter(line => line.level === 'warn')).toHaveLength(2 * 3)
  },
)

test(
  'a session that outlives the killed postmaster holds the restart up only until it ends',
  PATIENT,
  async () => {
    const { owner, admin } = await start(dataDir)
    await query(owner, 'CREATE TABLE busy (n int)')
    const wait = "WHILE clock_timestamp() < now() + interval '1.5 s' LOOP END LOOP"
    const busy = query(owner, `DO $$ BEGIN ${wait}; INSERT INTO busy VALUES (1); END $$`).then(() => 1)
    const running = "SELECT FROM pg_stat_activity WHERE query LIKE 'DO $$%' AND state = 'active'"
    await vi.waitFor(async () => expect(await query(admin, running)).toHaveLength(1), PATIENCE)
    await killPostmaster(dataDir)
    await usableAgain(owner)
    // PostgreSQL lets the session finish; an acknowledged commit must survive the restart.
    const committed = await busy.catch(() => 0)
    expect(await query(owner, 'SELECT count(*)::int AS n FROM busy')).toEqual([{ n: committed }])
  },
)

test('the PostgreSQL of a server that was killed is joined, not started again', async () => {
  const server = await spawnServer(dataDir)
  await ready(server)
  const pid = await postmasterPid(dataDir)
  await killServer(server)
  const { service } = await start(dataDir)
  expect(await query(service, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
  expect(pid).toBeDefined()
  expect(await postmasterPid(dataDir)).toBe(pid)
})

test('a server killed in the middle of the first start leaves nothing that is taken for a cluster', async () => {
  const directory = await temporaryDirectory()
  const server = await spawnServer(directory)
  const home = join(directory, 'postgres')
  await vi.waitFor(async () => expect((await readdir(home)).join()).toContain('data-new-'), {
    ...PATIENCE,
    interval: 10,
  })
  await killServer(server)
  expect(existsSync(join(home, 'data'))).toBe(false)
  expect(existsSync(join(directory, 'postgres.lock'))).toBe(true)
  const { service } = await start(directory)
  expect(await query(service, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
  expect((await readdir(home)).join()).not.toContain('data-new-')
})

test.each(['postmaster.pid', 'socket lock'])(
  'a %s that names a foreign live process is stale',
  async which => {
    const first = await start(dataDir)
    const data = join(dataDir, 'postgres/data')
    const path = which === 'postmaster.pid' ? join(data, which) : join(first.admin.host, '.s.PGSQL.5432.lock')
    const [content, { uid, gid }] = [await readFile(path, 'utf8'), await stat(data)]
    await first.close()

    // It has to run as the same user: PostgreSQL ignores a process that it may not signal.
    const stranger: ChildProcess = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {})
    try {
      await writeFile(path, content.replace(/^\d+/, String(stranger.pid)))
      const second = await start(dataDir)
      expect(await query(second.service, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
      await second.close()
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
    } finally {
      stranger.kill('SIGKILL')
      await once(stranger, 'exit')
    }
  },
)

test('a postmaster.pid that a power cut left empty is stale', async () => {
  await (await start(dataDir)).close()
  await writeFile(join(dataDir, 'postgres/data/postmaster.pid'), '')
  const { service } = await start(dataDir)
  expect(await query(service, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
})

test('a close while PostgreSQL is being brought back leaves nothing running', async () => {
  for (const delayMs of [0, 5, 20, 40]) {
    const postgres = await start(dataDir)
    await killPostmaster(dataDir)
    await sleep(delayMs)
    await postgres.close()
    expect(await postmasterPid(dataDir)).toBeUndefined()
  }
})
