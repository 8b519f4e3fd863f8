import { copyFile, lstat, mkdir, readlink, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { logged, postmasterPid, query, start, temporaryDirectory } from './temporary-cluster.ts'

const isRoot = process.getuid?.() === 0

/** Where the home is expected below a directory that only its owner can enter. */
const belowPrivateDirectory = isRoot
  ? { name: 'in /var/lib/some_program for root', home: /^\/var\/lib\/some_program\/[0-9a-f-]{36}$/ }
  : {
      name: 'in the data directory for an ordinary user',
      home: /^\/tmp\/embedded-postgres-test-\w+\/data\/postgres$/,
    }

test(`below a 0700 directory the cluster lives ${belowPrivateDirectory.name}`, async () => {
  const dataDir = join(await temporaryDirectory(), 'data')
  const first = await start(dataDir)
  const link = join(dataDir, 'postgres')
  const home = (await lstat(link)).isSymbolicLink() ? await readlink(link) : link
  try {
    expect(home).toMatch(belowPrivateDirectory.home)
    expect(logged.filter(line => line.msg.includes('/var/lib/some_program'))).toHaveLength(isRoot ? 1 : 0)
    await query(first.owner, 'CREATE TABLE kept (n int)')
    await first.close()
    const second = await start(dataDir)
    expect(await query(second.owner, 'SELECT n FROM kept')).toEqual([])
    await second.close()
    expect(await postmasterPid(dataDir)).toBeUndefined()
  } finally {
    if (home !== link) await rm(home, { recursive: true })
  }
  // A lost home must not be replaced by an empty database.
  if (home !== link) await expect(start(dataDir)).rejects.toThrow(/does not exist. Restore it from a backup/)
})

/** Of the tests that follow, the first to start there makes the cluster. */
let longDir: string
beforeAll(async () => {
  longDir = join(await temporaryDirectory(0o755), 'x'.repeat(60), 'y'.repeat(60))
})

test('a data directory whose path is too long for a socket uses a private one in /tmp', async () => {
  const { service } = await start(longDir)
  try {
    expect(service.host).toMatch(/^\/tmp\/some_program-[0-9a-f]{20}$/)
    expect((await stat(service.host)).mode & 0o777).toBe(0o700)
    expect(await query(service, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
  } finally {
    await rm(service.host, { recursive: true })
  }
})

test('a path with spaces, commas and quotes works', async () => {
  const dataDir = join(await temporaryDirectory(0o755), `a, "b" 'c' -c d=$e`)
  const { service } = await start(dataDir)
  expect(service.host.startsWith(dataDir)).toBe(true)
  expect(await query(service, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
})

test('a copy of a running cluster does not touch the original', async () => {
  const copyDir = await temporaryDirectory()
  const { service } = await start(longDir)
  onTestFinished(() => rm(service.host, { recursive: true, force: true }))
  const pid = await postmasterPid(longDir)
  // Of all that a copy holds, only this file leads to the original.
  await mkdir(join(copyDir, 'postgres/data'), { recursive: true })
  await copyFile(join(longDir, 'postgres/data/postmaster.pid'), join(copyDir, 'postgres/data/postmaster.pid'))
  expect(await postmasterPid(copyDir)).toBeUndefined()
  expect(await postmasterPid(longDir)).toBe(pid)
})
