import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { chmod, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterHome } from './cluster-home.ts'
import { errorCode } from './embedded-postgres-error.ts'
import { commandLine, processStart } from './process-identity.ts'
import { programOptions, type ServerUser } from './run-program.ts'
import { HBA, hbaPath, PORT, serverSettings, settingArguments } from './settings.ts'

const FAST_SHUTDOWN_MS = 30_000
const IMMEDIATE_SHUTDOWN_MS = 10_000
const PID_FILE_MS = 5_000
const POLL_MS = 5

/** The pid of the PostgreSQL that runs on this cluster, whichever process started it. */
export async function findPostmaster(data: string): Promise<number | undefined> {
  const pid = readPid(join(data, 'postmaster.pid'))
  return pid && (await isPostmasterOf(pid, data)) ? pid : undefined
}

/**
 * Removes lock files that name a live process which is not this cluster's PostgreSQL. After a crash the pid may
 * have been reused, and PostgreSQL would refuse to start; files that name a dead process it replaces itself.
 * If a server does run on the cluster after all, it holds the shared memory, and PostgreSQL still refuses to start.
 */
export async function removeForeignLockFiles(home: ClusterHome): Promise<void> {
  for (const path of [join(home.data, 'postmaster.pid'), join(home.socket, `.s.PGSQL.${PORT}.lock`)]) {
    const pid = readPid(path)
    if (pid === undefined) continue
    // A power failure can leave the file empty, which PostgreSQL does not clean up either.
    const isForeign = pid === 0 || ((await processStart(pid)) && !(await isPostmasterOf(pid, home.data)))
    if (isForeign) await rm(path, { force: true })
  }
}

export interface Launch {
  /** Why the process exited, from its output before it opened its log; undefined while it runs. */
  failure(): Promise<string | undefined>
}

/**
 * Starts PostgreSQL in a separate session, so that neither Ctrl-C in our terminal nor our exit stops it.
 * It writes to a file until its log is open: a pipe would break when we exit.
 */
export async function launchPostmaster(
  home: ClusterHome,
  native: string,
  user: ServerUser | undefined,
  onLaunch?: () => void,
): Promise<Launch> {
  await replaceFile(hbaPath(home), HBA)
  const startupLog = join(home.directory, 'startup.log')
  const output = await open(startupLog, 'w', 0o600)
  try {
    const args = ['-D', home.data, ...settingArguments(serverSettings(home))]
    const child = spawn(join(native, 'bin', 'postgres'), args, {
      ...programOptions(user),
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    })
    await once(child, 'spawn')
    child.unref()
    onLaunch?.()
    const ended = () => child.exitCode !== null || child.signalCode !== null
    // Without a pid file no other process can find the server yet, and a close() now would leave it running.
    const deadline = Date.now() + PID_FILE_MS
    while (!ended() && Date.now() < deadline && !(await findPostmaster(home.data))) await sleep(POLL_MS)
    return {
      async failure() {
        if (!ended()) return undefined
        return child.signalCode
          ? `killed by ${child.signalCode}`
          : (await readFile(startupLog, 'utf8')).trim()
      },
    }
  } finally {
    await output.close()
  }
}

/**
 * Stops PostgreSQL and waits until it is gone. A fast shutdown ends sessions and writes a checkpoint; one that
 * takes too long is followed by an immediate one, after which the next start recovers from the log.
 */
export async function stopPostmaster(data: string, log: { warn(msg: string): void }): Promise<void> {
  const pid = await findPostmaster(data)
  if (pid === undefined) return
  const started = await processStart(pid)
  if (await signalAndWait(pid, started, 'SIGINT', FAST_SHUTDOWN_MS)) return
  log.warn(
    `PostgreSQL (pid ${pid}) did not shut down within ${FAST_SHUTDOWN_MS / 1000} s; forcing an immediate shutdown`,
  )
  if (await signalAndWait(pid, started, 'SIGQUIT', IMMEDIATE_SHUTDOWN_MS)) return
  log.warn(`PostgreSQL (pid ${pid}) does not stop; the next start will join it`)
}

async function signalAndWait(
  pid: number,
  started: string | undefined,
  signal: NodeJS.Signals,
  waitMs: number,
): Promise<boolean> {
  const deadline = Date.now() + waitMs
  const isGone = async () => (await processStart(pid)) !== started
  // Checked right before the signal, so that it never hits another process that reused the pid.
  if (await isGone()) return true
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return true
    throw error
  }
  while (Date.now() < deadline) {
    if (await isGone()) return true
    await sleep(POLL_MS)
  }
  return false
}

/**
 * Compares directories and not paths: one cluster may be reached by several paths (bind mounts), and a copied
 * cluster carries the postmaster.pid of the original, which must be neither used nor stopped.
 */
async function isPostmasterOf(pid: number, data: string): Promise<boolean> {
  const words = await commandLine(pid)
  const [program, directory] =
    words.length > 1
      ? [words[0], words[words.indexOf('-D') + 1]]
      : (/^(.*?) -D (.*?)(?: -c .*)?$/.exec(words[0] ?? '')?.slice(1) ?? [])
  if (!program || !directory || basename(program) !== 'postgres') return false
  return isSameDirectory(directory, data)
}

function isSameDirectory(one: string, other: string): boolean {
  try {
    const [a, b] = [statSync(one), statSync(other)]
    return a.dev === b.dev && a.ino === b.ino
  } catch (error) {
    // A directory that is missing or inaccessible is not our data directory.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '')) return false
    throw error
  }
}

/** The pid on a lock file's first line, 0 if it has none, undefined without a file. */
function readPid(path: string): number | undefined {
  try {
    // PostgreSQL's single-user mode writes its pid with a minus sign.
    return Math.abs(Number.parseInt(readFileSync(path, 'utf8'), 10)) || 0
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, content)
  // Whatever the umask, the user that PostgreSQL runs as must be able to read it.
  await chmod(temporary, 0o644)
  await rename(temporary, path)
}
