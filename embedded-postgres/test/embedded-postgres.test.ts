import { once } from 'node:events'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { EmbeddedPostgresError } from '../src/embedded-postgres.ts'
import { postmasterPid, query, ready, spawnServer, start, temporaryDirectory } from './temporary-cluster.ts'

/** One cluster for all but the test of several first starts at once; each starts and stops its PostgreSQL. */
let dataDir: string
beforeAll(async () => {
  dataDir = join(await temporaryDirectory(0o755), 'made', 'by-us')
})

test('the second start finds what the first one committed', async () => {
  const first = await start(dataDir)
  await query(first.owner, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (42)')
  await first.close()
  expect(await postmasterPid(dataDir)).toBeUndefined()

  const second = await start(dataDir)
  expect(await query(second.owner, 'SELECT n FROM kept')).toEqual([{ n: 42 }])
  expect(second.owner).toEqual(first.owner)
  expect((await stat(join(dataDir, 'postgres.json'))).mode & 0o777).toBe(0o600)
  await second.close()
})

test('two processes and two callers in a third one start on an empty directory at once and share one cluster', async () => {
  const directory = await temporaryDirectory()
  const servers = await Promise.all([spawnServer(directory), spawnServer(directory)])
  const [one, two] = await Promise.all([start(directory), start(directory), ...servers.map(ready)])
  expect(one.service).toEqual(two.service)
  const presences =
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'some_program presence'"
  expect(await query(one.admin, presences)).toEqual([{ n: 4 }])
  for (const server of servers) {
    server.stdin?.end()
    await once(server, 'exit')
  }
  expect(await query(two.admin, presences)).toEqual([{ n: 2 }])
})

test('only the last process to close stops PostgreSQL', async () => {
  const first = await start(dataDir)
  const pid = await postmasterPid(dataDir)
  const second = await start(dataDir)
  await Promise.all([first.close(), first.close()])
  expect(await postmasterPid(dataDir)).toBe(pid)
  expect(await query(second.service, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
  await second.close()
  await second.close()
  expect(await postmasterPid(dataDir)).toBeUndefined()
})

test('a close and a start at the same time leave the newcomer with a running PostgreSQL', async () => {
  let leaving = await start(dataDir)
  for (let round = 0; round < 10; round++) {
    const [coming] = await Promise.all([start(dataDir), leaving.close()])
    expect(await query(coming.service, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    leaving = coming
  }
})

test('the service role may connect and nothing else', async () => {
  const { service, admin } = await start(dataDir)
  const roles = await query(
    admin,
    `SELECT rolname, rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname LIKE 'some_program%' ORDER BY 1`,
  )
  const powerless = { rolsuper: false, rolcreatedb: false, rolcreaterole: false }
  expect(roles).toEqual([
    { rolname: 'some_program_owner', ...powerless },
    { rolname: 'some_program_service', ...powerless },
  ])
  for (const sql of [
    'CREATE TABLE t (n int)',
    'CREATE TEMP TABLE t (n int)',
    'CREATE SCHEMA s',
    'CREATE ROLE r',
  ]) {
    await expect(query(service, sql)).rejects.toMatchObject({ code: '42501' })
  }
  await expect(query({ ...service, database: 'postgres' }, 'SELECT 1')).rejects.toMatchObject({
    code: '42501',
  })
  await expect(query({ ...service, password: 'guess' }, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
})

test('PostgreSQL runs with safe settings, on a socket only', async () => {
  const { admin } = await start(dataDir)
  const names = [
    'data_checksums',
    'fsync',
    'listen_addresses',
    'max_connections',
    'server_encoding',
    'TimeZone',
  ]
  const rows = await query<{ name: string; setting: string }>(
    admin,
    `SELECT name, setting FROM pg_settings WHERE name IN ('${names.join("','")}')`,
  )
  expect(Object.fromEntries(rows.map(row => [row.name, row.setting]))).toEqual({
    data_checksums: 'on',
    fsync: 'on',
    listen_addresses: '',
    max_connections: '240',
    server_encoding: 'UTF8',
    TimeZone: 'UTC',
  })
})

test('a cluster of another major version, lost passwords and wrong ones are explained', async () => {
  // The connections of the test before may be on their way out: while one is there, PostgreSQL is not stopped.
  await (await start(dataDir)).close(60_000)
  expect(await postmasterPid(dataDir)).toBeUndefined()
  const [versionPath, secretsPath] = [
    join(dataDir, 'postgres/data/PG_VERSION'),
    join(dataDir, 'postgres.json'),
  ]

  await writeFile(versionPath, '17\n')
  await expect(start(dataDir)).rejects.toThrow(/PostgreSQL 17.*PostgreSQL 18/)
  await writeFile(versionPath, '18\n')

  const secrets = await readFile(secretsPath, 'utf8')
  await writeFile(secretsPath, secrets.replace('"admin": "', '"admin": "not-'))
  await expect(start(dataDir)).rejects.toThrow(/does not accept the passwords in postgres.json/)
  await rm(secretsPath)
  await expect(start(dataDir)).rejects.toThrow(EmbeddedPostgresError)
  // The failed start has left PostgreSQL running, as a crash would; the next good one joins it.
  await writeFile(secretsPath, secrets, { mode: 0o600 })
  await (await start(dataDir)).close()
})
