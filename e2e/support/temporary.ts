import { readlinkSync } from 'node:fs'
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryRoot } from '../../testing/temporary-root.ts'
import { endPostmaster } from './postgres-process.ts'

const directories: string[] = []
const dataDirs: string[] = []
const ends: (() => Promise<void>)[] = []

/** Services are stopped before their directories are removed; only their module knows how. */
export function onCleanup(end: () => Promise<void>): void {
  ends.push(end)
}

/** World-accessible by default: as root, PostgreSQL runs as another user and needs access. */
export async function temporaryDirectory(mode = 0o755): Promise<string> {
  const directory = await realpath(await mkdtemp(join(temporaryRoot, 'tributary-e2e-')))
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

/** Leaves nothing of a test file behind for the next one, which shares the worker. What fails does not keep the rest from ending. */
export async function cleanUp(): Promise<void> {
  const failures: unknown[] = []
  for (const end of ends) await end().catch(error => failures.push(error))
  const leftBehind: string[] = []
  for (const dataDir of dataDirs.splice(0)) {
    if (await endPostmaster(dataDir)) leftBehind.push(dataDir)
    const home = relocatedHome(dataDir)
    if (home) await rm(home, { recursive: true, force: true })
  }
  for (const directory of directories.splice(0))
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  // Every service was stopped, so a PostgreSQL that is still running was leaked by the product.
  if (leftBehind.length > 0)
    failures.push(new Error(`PostgreSQL was left running on ${leftBehind.join(', ')}`))
  if (failures.length > 0) throw new AggregateError(failures, 'Failed to clean up after a file.')
}
