import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { api } from './support/api.ts'
import { copyCheckout, removeSymlinks } from './support/checkout-copy.ts'
import { nobody } from './support/nobody.ts'
import { pidFile, postmasterPid } from './support/postgres-process.ts'
import { type Env, must, type Place, tributary } from './support/program.ts'
import { lastLine } from './support/programme.ts'
import { serve } from './support/service.ts'
import { newDataDir, rememberDataDir, temporaryDirectory } from './support/temporary.ts'

/** Starts, works, stops and leaves nothing: the same everywhere, under any user. */
async function expectToWork(env: Env, place: Place, dataDir: string): Promise<void> {
  const service = await serve(env, place)
  const owner = ['--name', 'Acme', '--email', 'a@example.com', '--password', 'correct horse']
  const created = await must(['account', 'create', ...owner, '--key-name', 'first'], env, place)
  const { data } = await api(service.url, lastLine(created)).campaigns.list().page()
  expect(data).toEqual([])
  expect(lstatSync(`/proc/${postmasterPid(dataDir)}`).uid).toBe(nobody().uid)
  expect(await service.stop()).toBe(0)
  expect(pidFile(dataDir)).toBeUndefined()
}

const copiedBinaries = (dataDir: string) =>
  readdirSync(join(dataDir, 'postgres')).filter(name => name.startsWith('bin-'))

function asRoot() {
  let home: string
  let root: string

  beforeAll(async () => {
    home = await temporaryDirectory()
    root = join(home, 'tributary')
    // Builds what is stale, so that the copy is of today's program.
    await must(['--help'], {})
    await copyCheckout(root)
  })

  test('as root, with install scripts off, and TRIBUTARY_DATA_DIR below a 0700 directory', async () => {
    const removed = await removeSymlinks(root)
    expect(removed.length).toBeGreaterThan(0)
    const dataDir = join(await temporaryDirectory(0o700), 'below', 'data')
    await expectToWork({ TRIBUTARY_DATA_DIR: dataDir }, { root }, dataDir)
    for (const path of removed) expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(copiedBinaries(dataDir)).toEqual([])
    expect(lstatSync(join(dataDir, 'postgres')).isSymbolicLink()).toBe(true)
  })

  test('as an ordinary user who cannot write to the installation, with install scripts off', async () => {
    const removed = await removeSymlinks(root)
    const dataDir = join(await temporaryDirectory(), 'data')
    rememberDataDir(dataDir)
    await mkdir(dataDir)
    const { uid, gid } = nobody()
    await chown(dataDir, uid, gid)
    await expectToWork({ TRIBUTARY_DATA_DIR: dataDir }, { root, uid, gid }, dataDir)
    expect(copiedBinaries(dataDir)).toHaveLength(1)
    expect(removed.some(path => existsSync(path))).toBe(false)
    // Root may look after what the ordinary user made.
    expect((await tributary(['doctor'], { TRIBUTARY_DATA_DIR: dataDir }, { root })).code).toBe(0)
  })

  test('as root, from a checkout below a 0700 home, with its data there too', async () => {
    await chmod(home, 0o700)
    const dataDir = join(root, 'data')
    rememberDataDir(dataDir)
    // No TRIBUTARY_DATA_DIR: the data goes where it goes by default.
    await expectToWork({}, { root }, dataDir)
    expect(lstatSync(join(dataDir, 'postgres')).isSymbolicLink()).toBe(true)
    expect(copiedBinaries(dataDir)).toHaveLength(1)
    expect(lstatSync(home).mode & 0o777).toBe(0o700)
  })
}

function asOrdinaryUser() {
  test('the data belongs to who started it', async () => {
    const dataDir = await newDataDir()
    const service = await serve({ TRIBUTARY_DATA_DIR: dataDir })
    expect(lstatSync(`/proc/${postmasterPid(dataDir)}`).uid).toBe(process.getuid?.())
    expect(await service.stop()).toBe(0)
  })
}

// Only root can switch users; chosen when the tests are defined, so that nothing is skipped.
if (process.getuid?.() === 0) describe('who runs the service', asRoot)
else describe('who runs the service', asOrdinaryUser)
