import { randomBytes } from 'node:crypto'
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { EmbeddedPostgresError, errorCode } from './embedded-postgres-error.ts'
import { type ProgramResult, runProgram, type ServerUser } from './run-program.ts'

export interface BinaryPackage {
  directory: string
  /** The package's version, whose first number is PostgreSQL's major version. */
  version: string
}

export async function findPackage(): Promise<BinaryPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const missing = `There is no embedded PostgreSQL for ${process.platform} on ${process.arch}`
  // Packages for Windows exist, but what we rely on (sockets, signals, owners) does not work there.
  if (process.platform === 'win32') throw new EmbeddedPostgresError(`${missing}.`, { remedy: 'own-postgres' })
  try {
    // Resolved by name, since the bundled program is not where this file is.
    const directory = dirname(dirname(createRequire(import.meta.url).resolve(name)))
    return await describePackage(directory)
  } catch (error) {
    if (!['MODULE_NOT_FOUND', 'ENOENT'].includes(errorCode(error) ?? '')) throw error
    throw new EmbeddedPostgresError(
      `${missing}: the package ${name} is not installed (it is optional, so \`npm ci --omit=optional\` leaves ` +
        'it out).',
      { cause: error, remedy: 'own-postgres' },
    )
  }
}

export async function describePackage(directory: string): Promise<BinaryPackage> {
  const description: unknown = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'))
  const { version } = description as { version: string }
  return { directory, version }
}

/**
 * The directory (with bin, lib and share) from which `user` can run PostgreSQL: the package's own if possible,
 * otherwise a copy in the cluster's home. Tested by running it, not guessed from modes and mounts.
 */
export async function prepareBinaries(
  source: BinaryPackage,
  home: string,
  user: ServerUser | undefined,
): Promise<string> {
  const native = join(source.directory, 'native')
  const copy = join(home, `bin-${source.version}`)
  if (!(await exists(copy))) {
    if ((await restoreSymlinks(source, native)) && (await tryRun(native, user)).succeeded) return native
    await copyBinaries(source, copy)
  }
  const result = await tryRun(copy, user)
  if (result.succeeded) return copy
  throw new EmbeddedPostgresError(`The embedded PostgreSQL does not run on this system: ${result.output}.`, {
    remedy: 'own-postgres',
  })
}

/** initdb passes its own path to a shell in double quotes, where these characters are special. */
const SHELL_CHARACTERS = /["$`\\\n]/

/** Directories for a copy for initdb. Their names are safe whatever the operator chose; the first may be mounted noexec. */
const SAFE_PLACES = ['/tmp', '/var/tmp']

/** Runs `use` with binaries whose path is safe in a shell: the given ones, or a copy that is removed afterwards. */
export async function withShellSafeBinaries<T>(
  native: string,
  user: ServerUser | undefined,
  use: (native: string) => Promise<T>,
): Promise<T> {
  if (!SHELL_CHARACTERS.test(native)) return use(native)
  let failure = ''
  for (const place of SAFE_PLACES) {
    const directory = await mkdtemp(join(place, 'postgres-initdb-'))
    try {
      if (user) await chmod(directory, 0o711)
      const copy = join(directory, 'native')
      await copyTree(native, copy)
      const result = await tryRun(copy, user)
      if (result.succeeded) return await use(copy)
      failure = result.output
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }
  throw new EmbeddedPostgresError(
    `The path ${native} contains a character that initdb cannot handle (", $, \`, \\ or a line break), and a copy in ` +
      `${SAFE_PLACES.join(' or ')} does not run: ${failure}. Use a path without these characters.`,
    { remedy: 'own-postgres' },
  )
}

function tryRun(native: string, user: ServerUser | undefined): Promise<ProgramResult> {
  return runProgram(join(native, 'bin', 'postgres'), ['--version'], { user })
}

/**
 * npm packages cannot contain symlinks, and the install script that would restore them is disabled here.
 * Returns false if they are missing and the package's directory is not writable.
 */
async function restoreSymlinks(source: BinaryPackage, native: string): Promise<boolean> {
  for (const { link, target } of await listSymlinks(source)) {
    if (await exists(join(native, link))) continue
    try {
      await symlink(target, join(native, link))
    } catch (error) {
      if (['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) return false
      // Created by another process that is starting at the same time.
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
  return true
}

/** The symlinks, relative to the native directory; the package's list is relative to the package. */
async function listSymlinks(source: BinaryPackage): Promise<{ link: string; target: string }[]> {
  const text = await readFile(join(source.directory, 'native', 'pg-symlinks.json'), 'utf8')
  const list = JSON.parse(text) as { source: string; target: string }[]
  return list.map(one => ({
    link: relative('native', one.target),
    target: relative(dirname(one.target), one.source),
  }))
}

/** Creates the copy atomically (also after a power failure), readable by everyone whatever the umask and the source's modes. */
async function copyBinaries(source: BinaryPackage, copy: string): Promise<void> {
  const temporary = `${copy}.new-${randomBytes(8).toString('hex')}`
  try {
    await copyTree(join(source.directory, 'native'), temporary)
    await restoreSymlinks(source, temporary)
    // One flush of everything: fsync of a thousand files takes seconds. A system without the command keeps the
    // copy as safe as npm keeps the package, so its result does not matter.
    await runProgram('sync', [], { user: undefined })
    await rename(temporary, copy)
  } catch (error) {
    // Another process has created the same copy.
    if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      await copyTree(source, target)
    } else if (entry.isFile()) {
      await copyFile(source, target)
      await chmod(target, ((await lstat(source)).mode & 0o100) === 0 ? 0o644 : 0o755)
    } else if (entry.isSymbolicLink()) {
      await symlink(await readlink(source), target)
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}
