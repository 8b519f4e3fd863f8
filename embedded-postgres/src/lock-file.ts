import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedPostgresError, errorCode } from './embedded-postgres-error.ts'
import { processStart } from './process-identity.ts'

const POLL_MS = 20
// Longer than the longest thing done under the lock: a recovery of 60 s, or a shutdown of 40 s, in a row.
const WAIT_MS = 180_000
const LOOKS_FOR_OWN = 25
// A lock file is created empty and filled immediately; one that stays empty was left by a crash in between.
const EMPTY_IS_STALE_MS = 1_000

/**
 * Runs `work` while no other process (and no other caller in this one) runs its own under the same lock file.
 *
 * The lock serializes starts and stops. Data safety does not depend on it: the cluster appears by an
 * atomic rename, its passwords by an exclusive link, and PostgreSQL itself refuses a second postmaster.
 */
export async function withLock<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const content = JSON.stringify({
    pid: process.pid,
    startedAt: await processStart(process.pid),
    token: randomBytes(8).toString('hex'),
  })
  await acquire(path, content, signal)
  try {
    return await work()
  } finally {
    await release(path, content)
  }
}

/**
 * Removes our own lock only: one taken over in error belongs to another process by now. If ours is missing, a process that took it for
 * stale may have moved it aside and be about to put it back; left there, all others would wait for it forever.
 */
async function release(path: string, content: string): Promise<void> {
  for (let look = 0; look < LOOKS_FOR_OWN; look++) {
    if ((await readIfPresent(path)) === content) return rm(path, { force: true })
    await sleep(POLL_MS)
  }
}

async function acquire(path: string, content: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + WAIT_MS
  for (;;) {
    signal.throwIfAborted()
    if (await createExclusively(path, content)) return
    const held = await readIfPresent(path)
    if (held === undefined) continue
    if (await isStale(path, held)) {
      await takeAway(path, held)
      continue
    }
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `Another process of this program has held ${path} for ${WAIT_MS / 1000} s (${held}). ` +
          'If that process hangs, stop it; if the pid now belongs to another program, delete the file. Then start again.',
      )
    }
    await sleep(POLL_MS, undefined, { signal })
  }
}

async function createExclusively(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

async function isStale(path: string, held: string): Promise<boolean> {
  const holder = parseHolder(held)
  if (holder === undefined) {
    const age = await ageMs(path)
    return age !== undefined && age > EMPTY_IS_STALE_MS
  }
  return (await processStart(holder.pid)) !== holder.startedAt
}

/**
 * Moves the stale lock aside and checks what was moved, because two processes may find the same lock stale
 * and the slower one would then remove the lock that the faster one has just created.
 */
async function takeAway(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomBytes(8).toString('hex')}`
  try {
    await rename(path, aside)
    if ((await readFile(aside, 'utf8')) !== stale) await link(aside, path)
    await rm(aside)
  } catch (error) {
    // ENOENT: another process removed the stale lock first. EEXIST: another process already holds a new lock.
    if (!['ENOENT', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
    await rm(aside, { force: true })
  }
}

function parseHolder(held: string): { pid: number; startedAt: string | undefined } | undefined {
  const match = /"pid":(\d+)(?:,"startedAt":"([^"]*)")?,"token":"[0-9a-f]+"\}$/.exec(held)
  return match ? { pid: Number(match[1]), startedAt: match[2] } : undefined
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function ageMs(path: string): Promise<number | undefined> {
  try {
    return Date.now() - (await stat(path)).mtimeMs
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
