// The builds of the program, each in its own folder, and the file `current`, which names the one that the next start runs. It is
// replaced by an atomic rename, so a start finds either the old build or the new one, complete. A plain file, not a symlink: it survives
// every way to copy an installation.
//
// A process holds the FIFO of its build open while it runs, and a build that is held is not removed: parts of it are loaded on first use.
// The kernel knows whether a FIFO is held. A pid file could not be trusted after a crash, in another container or under another user, and
// a service may not have write access to its installation. Opening for reading needs no write permission.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'

const POINTER = 'current'
const FIFO = 'in-use'
const UNFINISHED = 'building-'
/** Far longer than a build takes. Used only on file systems without FIFOs. */
const LONGEST_BUILD_MS = 3_600_000

/** The folder of the current build; undefined without a build. */
export function currentBuild(dist) {
  try {
    const name = readFileSync(join(dist, POINTER), 'utf8').trim()
    return name === '' ? undefined : join(dist, name)
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

/** The current build, held until it is released or this process ends; undefined without a build. */
export function holdCurrentBuild(dist) {
  for (;;) {
    const build = currentBuild(dist)
    if (build === undefined) return undefined
    const held = hold(build)
    const release = () => held !== undefined && closeSync(held)
    // A build that was replaced before it was held may already be gone.
    if (currentBuild(dist) === build) return { build, release }
    release()
  }
}

/** Creates a build next to the others and switches to it. Safe to run concurrently: the last one to finish becomes current. */
export async function addBuild(dist, make) {
  const unfinished = join(dist, UNFINISHED + randomBytes(8).toString('hex'))
  mkdirSync(unfinished, { recursive: true })
  // Held while it is being built, so that a concurrent build does not remove it.
  const held = makeHeldFifo(unfinished)
  try {
    await make(unfinished)
    const name = `${Date.now()}-${basename(unfinished).slice(UNFINISHED.length)}`
    const build = join(dist, name)
    renameSync(unfinished, build)
    writeFileSync(join(build, POINTER), `${name}\n`)
    renameSync(join(build, POINTER), join(dist, POINTER))
  } finally {
    if (held !== undefined) closeSync(held)
    rmSync(unfinished, { recursive: true, force: true })
  }
  removeUnused(dist)
}

/** Some file systems have no FIFOs. There the previous build is kept, whether in use or not. */
function makeHeldFifo(folder) {
  const aside = join(folder, `${FIFO}-new`)
  try {
    execFileSync('mkfifo', [aside], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  // Renamed into place once it is held: a FIFO that is not held means that its build is unused.
  const held = openToHold(aside)
  renameSync(aside, join(folder, FIFO))
  return held
}

const openToHold = fifo => openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK)

function hold(folder) {
  try {
    return openToHold(join(folder, FIFO))
  } catch {
    return undefined
  }
}

/** Whether a process holds a build; undefined if unknown. */
function isHeld(folder) {
  try {
    const fifo = join(folder, FIFO)
    if (!lstatSync(fifo).isFIFO()) return undefined
    closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch (error) {
    return error.code === 'ENXIO' ? false : undefined
  }
}

/**
 * Whether a build may be needed. Its builder holds it until it is the current one, so one that is not held has been the current one, or
 * never will be. If it is not current then, it never will be again, and every process that took it for current holds it by now.
 */
const isUsed = (dist, folder) => isHeld(folder) || currentBuild(dist) === folder || isHeld(folder)

/** Removes unneeded builds and the remains of killed ones. */
function removeUnused(dist) {
  const names = readdirSync(dist).filter(name => name !== POINTER)
  const [newest, before] = names.filter(isFinished).sort((a, b) => madeAt(b) - madeAt(a))
  for (const name of names) {
    const folder = join(dist, name)
    const mayBeUsed = [newest, before].includes(name) || (name.startsWith(UNFINISHED) && isRecent(folder))
    if (!(isUsed(dist, folder) ?? mayBeUsed)) remove(folder)
  }
}

const isFinished = name => /^\d+-/.test(name)
const madeAt = name => Number.parseInt(name, 10)
const isRecent = folder =>
  Date.now() - (lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) < LONGEST_BUILD_MS

/** Errors to ignore: another build may be removing the same folder, and one of another user is not ours to remove. */
const LEFT_TO_OTHERS = ['EACCES', 'EBUSY', 'ENOENT', 'ENOTEMPTY', 'EPERM', 'EROFS']

function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    if (!LEFT_TO_OTHERS.includes(error.code)) throw error
  }
}
