import { createHash, randomUUID } from 'node:crypto'
import { chmod, chown, lstat, mkdir, readlink, realpath, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EmbeddedPostgresError, errorCode } from './embedded-postgres-error.ts'
import type { ServerUser } from './run-program.ts'
import { canEnter } from './unprivileged-user.ts'

/** The directories of a cluster. Every path is absolute and free of symlinks. */
export interface ClusterHome {
  /** The program that uses the cluster; its database, roles and directories elsewhere are named after it. */
  program: string
  directory: string
  data: string
  log: string
  socket: string
}

/** Outside any home directory, and where Linux keeps the state of services. */
const relocatedRoot = (program: string) => `/var/lib/${program}`

// macOS allows 103 bytes for the path of a socket and Linux 107; one limit keeps the rule the same everywhere.
const SOCKET_PATH_BYTES = 103
const SOCKET_FILE = '/.s.PGSQL.5432'

/**
 * The path under which a cluster's home is found: a directory, or a symlink where the home had to be elsewhere.
 * A dangling symlink means that the database is lost (a container that does not keep it on a volume),
 * and continuing would show an empty database as if no commissions had ever been earned.
 */
export async function findHome(dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, 'postgres')
  try {
    return await realpath(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  const target = await linkTarget(path)
  if (target === undefined) return undefined
  throw new EmbeddedPostgresError(
    `The database of ${dataDir} is in ${target}, which does not exist. Restore it from a backup (in a container, ` +
      `keep ${dirname(target)} on a volume). To start with an empty database instead, delete the symlink ${path}.`,
  )
}

/** Creates what is missing of the home's directories. They are root's as root, so PostgreSQL cannot swap them. */
export async function prepareHome(
  program: string,
  dataDir: string,
  user: ServerUser | undefined,
  log: { info(msg: string): void },
): Promise<ClusterHome> {
  if (user) await letThrough(dataDir)
  const directory = (await findHome(dataDir)) ?? (await createHome(program, dataDir, user, log))
  if (user) await letThrough(directory)
  if (user && !(await canEnter(user, directory))) {
    throw new EmbeddedPostgresError(
      `PostgreSQL runs as uid ${user.uid}, which can no longer enter ${directory}. ` +
        'Make its parent directories accessible again (chmod o+x).',
    )
  }
  const home = {
    program,
    directory,
    data: join(directory, 'data'),
    log: join(directory, 'log'),
    socket: socketDirectory(program, directory),
  }
  await prepareDirectory(home.log, user)
  await prepareDirectory(home.socket, user)
  return home
}

async function createHome(
  program: string,
  dataDir: string,
  user: ServerUser | undefined,
  log: { info(msg: string): void },
): Promise<string> {
  const path = join(dataDir, 'postgres')
  if (user && !(await canEnter(user, dataDir))) return relocateHome(program, path, user, log)
  await mkdir(path, { recursive: true })
  await chmod(path, user ? 0o711 : 0o700)
  return realpath(path)
}

async function relocateHome(
  program: string,
  path: string,
  user: ServerUser,
  log: { info(msg: string): void },
): Promise<string> {
  if (!(await canEnter(user, '/'))) {
    throw new EmbeddedPostgresError(
      `PostgreSQL refuses to run as root, and this process may not start it as uid ${user.uid} (a container without ` +
        'the capabilities SETUID and SETGID?). Run the program as a regular user.',
      { remedy: 'own-postgres' },
    )
  }
  const root = relocatedRoot(program)
  const directory = join(root, randomUUID())
  await mkdir(directory, { recursive: true })
  await letThrough(root)
  await chmod(directory, 0o711)
  try {
    await symlink(directory, path)
  } catch (error) {
    await rm(directory, { recursive: true })
    // Another process was first; its home is equivalent.
    if (errorCode(error) === 'EEXIST') return realpath(path)
    throw error
  }
  log.info(
    `PostgreSQL runs as uid ${user.uid}, which cannot access ${path}: the database is in ${directory} ` +
      `and ${path} is a symlink to it. Back up both.`,
  )
  return realpath(path)
}

/** `mktemp -d` creates 0700 directories; search permission on one of root's does not reveal its content. */
async function letThrough(directory: string): Promise<void> {
  const { uid, mode } = await stat(directory)
  if (uid === 0 && (mode & 0o011) !== 0o011) await chmod(directory, (mode & 0o777) | 0o011)
}

/**
 * In the home, unless the path is too long for a socket. Then in /tmp and not in os.tmpdir(): TMPDIR differs
 * between a service and a shell, and every process on one data directory has to get the same path.
 */
function socketDirectory(program: string, home: string): string {
  const inHome = join(home, 'socket')
  if (Buffer.byteLength(inHome + SOCKET_FILE) <= SOCKET_PATH_BYTES) return inHome
  return `/tmp/${program}-${createHash('sha256').update(home).digest('hex').slice(0, 20)}`
}

/** A private directory of the server's user. In /tmp, another user may have created something under its name. */
async function prepareDirectory(path: string, user: ServerUser | undefined): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
  const found = await lstat(path)
  const ownUid = process.getuid?.()
  const mayOwn = user ? [user.uid, ownUid] : [ownUid]
  if (!found.isDirectory() || !mayOwn.includes(found.uid) || (found.mode & 0o077) !== 0) {
    throw new EmbeddedPostgresError(
      `${path} must be a directory with mode 0700 owned by uid ${user?.uid ?? ownUid}. ` +
        'Check who created it, remove it, and start again.',
    )
  }
  if (user && found.uid !== user.uid) await chown(path, user.uid, user.gid)
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
