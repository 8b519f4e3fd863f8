import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { errorCode } from './embedded-postgres-error.ts'

// Linux has /proc; macOS needs `ps`.
const HAS_PROC = existsSync('/proc/self/stat')

/**
 * An identity that distinguishes a process from a later one with the same pid; undefined if there is none.
 * A pid alone is not enough: in a container the restarted server often gets the pid of the one that crashed.
 * A zombie counts as gone, since a container's pid 1 often never reaps the orphans it inherits.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  if (!HAS_PROC) {
    const line = await ps('stat=,lstart=', pid)
    const [state, ...start] = line.trim().split(/\s+/)
    return !state || state.startsWith('Z') ? undefined : start.join(' ')
  }
  const stat = readProc(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The name in the second field may contain spaces and parentheses, so counting starts after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  if (state === 'Z' || state === 'X') return undefined
  // Ticks count from boot, so a reboot could repeat them for the same pid.
  const bootId = readProc('/proc/sys/kernel/random/boot_id')
  return `${bootId?.trim() ?? ''}/${startTicks}`
}

/** The command line as arguments (Linux), or as one string from `ps`; empty if there is none. */
export async function commandLine(pid: number): Promise<string[]> {
  if (!HAS_PROC) return [(await ps('command=', pid)).trim()]
  const raw = readProc(`/proc/${pid}/cmdline`)
  return raw ? raw.split('\0') : []
}

/** Synchronous: reading /proc takes microseconds, while each step of an asynchronous read waits for the event loop of a loading program. */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // ENOENT: no such process. ESRCH: it ended while we read. EACCES: hidden, so it is another user's.
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

async function ps(format: string, pid: number): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', format, '-p', String(pid)])
    return stdout
  } catch (error) {
    // `ps` exits with 1 and no output if there is no such process.
    if (error instanceof Error && 'code' in error && error.code === 1) return ''
    throw error
  }
}
