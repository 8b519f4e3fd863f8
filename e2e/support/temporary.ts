import { readlinkSync } from 'node:fs'
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { endPostmaster } from './postgres-process.ts'

const directories: string[] = []
const dataDirs: string[] = []
let endServices: () => Promise<void> = async () => {}

/** Services are ended before their directories are removed; only their module knows how. */
export function onCleanup(end: () => Promise<void>): void {
  endServices = end
}

/** Everybody may pass by default: as root, PostgreSQL runs under another user and has to get there. */
export async function temporaryDirectory(mode = 0o755): Promise<string> {
  const directory = await realpath(await mkdtemp('/tmp/tributary-e2e-'))
  await chmod(directory, mode)
  directories.push(directory)
  return directory
}

/** Remembers a data directory, so that its PostgreSQL is ended even when a test fails half way. */
export function rememberDataDir(dataDir: string): void {
  if (!dataDirs.includes(dataDir)) dataDirs.push(dataDir)
}

export async function newDataDir(): Promise<string> {
  const dataDir = join(await temporaryDirectory(), 'data')
  rememberDataDir(dataDir)
  return dataDir
}

/** A database that root's service had to put outside the data directory is known by a symlink. */
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
  // Every service was asked to stop, so a PostgreSQL that still ran was forgotten by the product.
  if (leftBehind.length > 0) throw new Error(`PostgreSQL was left running on ${leftBehind.join(', ')}`)
})
