import { readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { EmbeddedPostgresError, errorCode } from './embedded-postgres-error.ts'
import { runProgram, type ServerUser } from './run-program.ts'

/**
 * The user to run PostgreSQL under, or undefined to run it as ourselves.
 * An existing cluster already has an owner, and PostgreSQL runs only as that user.
 */
export async function chooseServerUser(dataPath: string): Promise<ServerUser | undefined> {
  const ownUid = process.getuid?.()
  const owner = await ownerOf(dataPath)
  if (ownUid === 0) {
    if (owner?.uid === 0) {
      throw new EmbeddedPostgresError(
        `The database files in ${dataPath} belong to root, and PostgreSQL refuses to run as root. ` +
          `Change their owner to an unprivileged user, for example: chown -R nobody '${dataPath}'`,
      )
    }
    return owner ?? (await nobody())
  }
  if (owner !== undefined && owner.uid !== ownUid) {
    throw new EmbeddedPostgresError(
      `The database files in ${dataPath} belong to uid ${owner.uid}, but this program runs as uid ` +
        `${ownUid}. Run it as the same user as before (root, if it was first started as root).`,
    )
  }
  return undefined
}

/** initdb looks its user up and fails without an entry, which `docker run --user 1234` typically lacks. */
export function assertOwnUserHasName(): void {
  try {
    userInfo()
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The user with uid ${process.getuid?.()} has no entry in /etc/passwd, which PostgreSQL needs to create its ` +
        'database. Run the program as a user that has one.',
      { cause: error, remedy: 'own-postgres' },
    )
  }
}

/** Tries it instead of reading mode bits, so that access lists and mount options count too. */
export async function canEnter(user: ServerUser, directory: string): Promise<boolean> {
  const result = await runProgram('/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory], { user })
  return result.succeeded
}

async function ownerOf(path: string): Promise<ServerUser | undefined> {
  try {
    const { uid, gid } = await stat(path)
    const entry = await passwdEntry(`[^:\\n]*:[^:]*:(${uid}|${uid | 0})`)
    // A bare `chown` leaves the files in the group root, whose permissions PostgreSQL must not get.
    return entry ?? { uid, gid: gid === 0 ? uid : gid }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function nobody(): Promise<ServerUser> {
  const entry = await passwdEntry('nobody:[^:]*:(-?\\d+)')
  if (entry) return entry
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root, and /etc/passwd has no user `nobody` to run it under. ' +
      'Start the program as a regular user.',
    { remedy: 'own-postgres' },
  )
}

async function passwdEntry(nameAndUid: string): Promise<ServerUser | undefined> {
  const entry = new RegExp(`^${nameAndUid}:(-?\\d+):`, 'm').exec(await readFile('/etc/passwd', 'utf8'))
  // macOS writes `nobody` as -2, and the file system reports it unsigned.
  return entry ? { uid: Number(entry[1]) >>> 0, gid: Number(entry[2]) >>> 0 } : undefined
}
