import { readlinkSync } from 'node:fs'
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { endPostmaster } from './postgres-process.ts'

const directories: string[] = []
const dataDirs: string[] = []
let endServices: () => Promise<void> = async () => {}

/** Services are stopped before their directories are removed; only their module knows how. */
export function onCleanup(end: () => Promise<void>): void {
  endServices = end
}

/** World-accessible by default: as root, PostgreSQL runs as another user and needs access. */
export async function temporaryDirectory(mode = 0o755): Promise<string> {
  const directory = await realpath(await mkdtemp('/tmp/tributary-e2e-'))
  await chmod(directory, mode)
  directories.push(directory)
  return directory
}

/** Registers a data directory, so that its PostgreSQL is stopped even if a test fails. */
export function rememberDataDir(dataDir: string): void {
  if (!dataDirs.includes(dataDir)) dataDirs.push(dataDir)
}

export async function newDataDir(): Promise<string> {
  const dataDir = join(await temporaryDirectory(), 'data')
  rememberDataDir(dataDir)
  return dataDir
}

/** A database that a service running as root put outside the data directory is found through a symlink. */
function relocatedHome(dataDir: string): string | undefined {
  try {
    return readlinkSync(join(dataDir, 'postgres'))
  } catch {
    return undefined
  }
}

afterAll(async () => {
  await endServices()
  const leftBehind: string[] = []
  for (const dataDir of dataDirs) {
    if (await endPostmaster(dataDir)) leftBehind.push(dataDir)
    const home = relocatedHome(dataDir)
    if (home) await rm(home, { recursive: true, force: true })
  }
  for (const directory of directories)
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  // Every service was stopped, so a PostgreSQL that is still running was leaked by the product.
  if (leftBehind.length > 0) throw new Error(`PostgreSQL was left running on ${leftBehind.join(', ')}`)
})
