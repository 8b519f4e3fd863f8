import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BinaryPackage, withShellSafeBinaries } from './binaries.ts'
import type { ClusterHome } from './cluster-home.ts'
import { EmbeddedPostgresError, errorCode } from './embedded-postgres-error.ts'
import { runProgram, type ServerUser } from './run-program.ts'
import type { Secrets } from './secrets.ts'
import { roleNames } from './settings.ts'
import { syncToDisk } from './sync-to-disk.ts'
import { assertOwnUserHasName } from './unprivileged-user.ts'

/** Whether there is a cluster; throws if these binaries cannot run it. */
export async function clusterExists(data: string, source: BinaryPackage): Promise<boolean> {
  const available = source.version.split('.')[0]
  const found = await clusterVersion(data)
  if (found === undefined) return false
  if (found === available) return true
  throw new EmbeddedPostgresError(
    `The database in ${data} was created by PostgreSQL ${found}, but this version of the program includes PostgreSQL ${available}. ` +
      `Run the version that included PostgreSQL ${found}, dump the database with pg_dump, and load the ` +
      'dump into a new data directory.',
  )
}

/**
 * Creates the cluster in a temporary directory and renames it, so that a crash leaves nothing that looks like a cluster.
 * Roles and database are created in single-user mode before that, so a cluster in place is complete.
 */
export async function createCluster(
  home: ClusterHome,
  native: string,
  user: ServerUser | undefined,
  secrets: Secrets,
): Promise<void> {
  if (!user) assertOwnUserHasName()
  await removeLeftovers(home.directory)
  const unfinished = join(home.directory, `data-new-${randomBytes(8).toString('hex')}`)
  await mkdir(unfinished)
  await chmod(unfinished, 0o700)
  if (user) await chown(unfinished, user.uid, user.gid)
  try {
    await withShellSafeBinaries(native, user, safe => initialise(unfinished, safe, user))
    await provision(unfinished, native, user, home.program, secrets)
    await rename(unfinished, home.data)
    await syncToDisk(home.directory)
  } catch (error) {
    // An existing non-empty directory can only be the finished cluster of another process.
    if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
  } finally {
    await removeTree(unfinished)
  }
}

async function initialise(directory: string, native: string, user: ServerUser | undefined): Promise<void> {
  const options = ['--username=postgres', '--encoding=UTF8', '--locale=C', '--data-checksums']
  // Started without our settings (see HBA), the cluster rejects all connections instead of accepting them.
  const args = ['-D', directory, ...options, '--auth=reject', '--no-instructions']
  const result = await runProgram(join(native, 'bin', 'initdb'), args, { user })
  if (!result.succeeded) throw creationFailed('initdb', result.output)
}

/** Passwords are passed through standard input, so that they never appear in a file or the process list. */
async function provision(
  directory: string,
  native: string,
  user: ServerUser | undefined,
  program: string,
  secrets: Secrets,
): Promise<void> {
  const { database, owner, service } = roleNames(program)
  const plain = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE'
  const statements = [
    `ALTER ROLE postgres PASSWORD '${secrets.admin}'`,
    `CREATE ROLE ${owner} ${plain} PASSWORD '${secrets.owner}'`,
    `CREATE ROLE ${service} ${plain} PASSWORD '${secrets.service}'`,
    `CREATE DATABASE ${database} OWNER ${owner}`,
    // By default, PUBLIC may connect to every database and create temporary tables there.
    `REVOKE ALL ON DATABASE ${database}, postgres, template1 FROM PUBLIC`,
    `GRANT CONNECT ON DATABASE ${database} TO ${service}`,
  ]
  // An error must end the program, and must not print the statement, which contains a password.
  const settings = ['-c', 'exit_on_error=on', '-c', 'log_min_error_statement=panic']
  const args = ['--single', '-D', directory, ...settings, 'postgres']
  const input = `${statements.join('\n')}\n`
  const result = await runProgram(join(native, 'bin', 'postgres'), args, { user, input })
  if (!result.succeeded) throw creationFailed('setting up roles', result.output)
}

/** Removes leftovers of killed attempts. The caller holds the lock, so none is in progress. */
async function removeLeftovers(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith('data-new-')) await removeTree(join(home, name))
  }
}

/** An initdb whose parent was killed may still be writing, which makes the removal fail for a moment. */
function removeTree(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

async function clusterVersion(data: string): Promise<string | undefined> {
  try {
    return (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  if ((await entries(data)).length === 0) return undefined
  throw new EmbeddedPostgresError(
    `${data} is not empty, but not a PostgreSQL database: PG_VERSION is missing. ` +
      'Restore it from a backup, or move it away to start with an empty database.',
  )
}

async function entries(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

function creationFailed(step: string, output: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL could not create its database (${step}): ${output}\n` +
      'Fix the cause and start again. No partial database was left behind.',
    { remedy: 'own-postgres' },
  )
}
