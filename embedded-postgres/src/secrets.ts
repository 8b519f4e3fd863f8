import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { EmbeddedPostgresError, errorCode } from './embedded-postgres-error.ts'
import { syncToDisk } from './sync-to-disk.ts'

/** The passwords of the three roles. Kept in the data directory, readable only by the user that runs the program. */
export interface Secrets {
  admin: string
  owner: string
  service: string
}

export async function readSecrets(path: string): Promise<Secrets | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  const secrets = parse(text)
  if (secrets) return secrets
  throw new EmbeddedPostgresError(
    `${path}, which holds the passwords of the embedded PostgreSQL, is damaged. Restore it from a backup.`,
  )
}

/** Writes new passwords to a temporary file and links it into place, so that no process reads a partial file. */
export async function createSecrets(path: string): Promise<Secrets> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}`
  const secrets = { admin: newPassword(), owner: newPassword(), service: newPassword() }
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(secrets, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await link(temporary, path)
  } catch (error) {
    // Another process was first: the cluster gets its passwords.
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(temporary, { force: true })
  }
  await syncToDisk(dirname(path))
  return (await readSecrets(path)) ?? secrets
}

function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

function parse(text: string): Secrets | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // Invalid JSON: the caller reports the file as damaged.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { admin, owner, service } = value as Record<string, unknown>
  if (![admin, owner, service].every(one => typeof one === 'string' && /^[\w-]+$/.test(one))) return undefined
  return { admin, owner, service } as Secrets
}
