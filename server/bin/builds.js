// The builds of the program, each in a folder of its own, and the file `current`, which names the one that the next start runs. It is
// replaced by one rename, so a start finds the old build or the new one, whole. A plain file and no symlink: it survives every way to
// copy an installation.
//
// A process holds the FIFO of its build open for as long as it runs, and a build that is held is not removed: parts of it are loaded
// with their first use. The kernel answers whether a FIFO is held. A pid in a file could not be trusted after a crash, in another
// container or under another user, and a service may not even write to its installation. Opening to read takes no right to write.
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
/** Far longer than a build takes. Only where there are no FIFOs. */
const LONGEST_BUILD_MS = 3_600_000

/** The folder of the current build; undefined where nothing has been built. */
export function currentBuild(dist) {
  try {
    const name = readFileSync(join(dist, POINTER), 'utf8').trim()
    return name === '' ? undefined : join(dist, name)
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

/** The current build, held until it is released or this process ends; undefined where nothing has been built. */
export function holdCurrentBuild(dist) {
  for (;;) {
    const build = currentBuild(dist)
    if (build === undefined) return undefined
    const held = hold(build)
    const release = () => held !== undefined && closeSync(held)
    // One that was replaced before it was held may be gone already.
    if (currentBuild(dist) === build) return { build, release }
    release()
  }
}

/** Makes a build beside the others and switches to it. Several may do so at the same time: the last one to finish is the current. */
export async function addBuild(dist, make) {
  const unfinished = join(dist, UNFINISHED + randomBytes(8).toString('hex'))
  mkdirSync(unfinished, { recursive: true })
  // Held while it is made, so that another one that finishes meanwhile does not remove it.
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

/** Some file systems have no FIFOs. There the build before the current one is kept, whether it is used or not. */
function makeHeldFifo(folder) {
  const aside = join(folder, `${FIFO}-new`)
  try {
    execFileSync('mkfifo', [aside], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  // It gets its name once it is held: a FIFO that is not held says that its build is unused.
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

/** Whether a process holds a build; undefined where that cannot be found out. */
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

/** Removes every build that is not needed, and what a killed build has left. */
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

/** Another build may be removing the same, and one that belongs to another user is not ours to remove: it does no harm. */
const LEFT_TO_OTHERS = ['EACCES', 'EBUSY', 'ENOENT', 'ENOTEMPTY', 'EPERM', 'EROFS']

function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    if (!LEFT_TO_OTHERS.includes(error.code)) throw error
  }
}
