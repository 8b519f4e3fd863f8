import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { withLock } from '../src/lock-file.ts'
import { processStart } from '../src/process-identity.ts'
import { temporaryDirectory } from './temporary-cluster.ts'

const never = () => new AbortController().signal
const lockText = (pid: number, startedAt: string) => JSON.stringify({ pid, startedAt, token: 'abc123' })

test('of many callers one at a time works under the lock', async () => {
  const path = join(await temporaryDirectory(), 'lock')
  let [inside, most, total] = [0, 0, 0]
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await sleep(5)
    inside -= 1
    total += 1
  }
  await Promise.all(Array.from({ length: 20 }, () => withLock(path, never(), work)))
  expect({ most, total }).toEqual({ most: 1, total: 20 })
  expect(existsSync(path)).toBe(false)
})

test('a failure inside gives the lock back', async () => {
  const path = join(await temporaryDirectory(), 'lock')
  await expect(withLock(path, never(), () => Promise.reject(new Error('inside')))).rejects.toThrow('inside')
  expect(existsSync(path)).toBe(false)
})

const deadPid = spawnSync('true').pid
test.each([
  ['of a dead process', lockText(deadPid, 'long ago')],
  ['of an earlier process with our pid', lockText(process.pid, 'long ago')],
])('a lock %s is taken over by exactly one of many', async (_, stale) => {
  const directory = await temporaryDirectory()
  const path = join(directory, 'lock')
  await writeFile(path, stale)
  let [inside, most] = [0, 0]
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await sleep(2)
    inside -= 1
  }
  await Promise.all(Array.from({ length: 20 }, () => withLock(path, never(), work)))
  expect(most).toBe(1)
  expect(await readdir(directory)).toEqual([])
})

test('a lock that was moved aside for a moment is removed all the same', async () => {
  const path = join(await temporaryDirectory(), 'lock')
  let back: Promise<void> | undefined
  await withLock(path, never(), async () => {
    await rename(path, `${path}.aside`)
    back = sleep(50).then(() => rename(`${path}.aside`, path))
  })
  await back
  expect(existsSync(path)).toBe(false)
})

test('a lock of a live process is waited for until the caller gives up', async () => {
  const path = join(await temporaryDirectory(), 'lock')
  await writeFile(path, lockText(process.pid, (await processStart(process.pid)) ?? ''))
  await expect(withLock(path, AbortSignal.timeout(100), () => Promise.resolve())).rejects.toThrow(/aborted/)
  expect(existsSync(path)).toBe(true)
})
