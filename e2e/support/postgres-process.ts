import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './until.ts'

/** The path of a data directory's embedded cluster; as root it may be behind a symlink. */
function cluster(dataDir: string): string | undefined {
  try {
    return realpathSync(join(dataDir, 'postgres/data'))
  } catch {
    // Not created yet, or already removed.
    return undefined
  }
}

export function pidFile(dataDir: string): string | undefined {
  const data = cluster(dataDir)
  try {
    return data && readFileSync(join(data, 'postmaster.pid'), 'utf8')
  } catch {
    return undefined
  }
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie has ended: its exit code may not have been collected yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** The PostgreSQL that runs on this data directory. Verified by its command line, because a pid may have been reused. */
export function postmasterPid(dataDir: string): number | undefined {
  const pid = Number.parseInt(pidFile(dataDir) ?? '', 10)
  const data = cluster(dataDir)
  if (!pid || !data || !isAlive(pid)) return undefined
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return words.includes(data) ? pid : undefined
  } catch {
    return undefined
  }
}

export async function untilGone(pid: number): Promise<void> {
  await until(`process ${pid} is gone`, () => !isAlive(pid))
}

/** Stops a PostgreSQL that a failed test left running; returns whether there was one. */
export async function endPostmaster(dataDir: string): Promise<boolean> {
  const pid = postmasterPid(dataDir)
  if (pid === undefined) return false
  process.kill(pid, 'SIGQUIT')
  await untilGone(pid)
  return true
}
