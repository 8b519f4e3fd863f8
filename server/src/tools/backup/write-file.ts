import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { BackupError, cannotWrite } from './backup-format.ts'

/** Makes a file's content, or a directory's renames and links, survive a power failure. */
async function syncToDisk(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const alreadyExists = (path: string) =>
  new BackupError(`${path} already exists. Choose another file name, or use --force to overwrite it.`)

/**
 * Writes a file atomically, readable by its owner only: to a temporary file in the same directory, which is renamed once it is synced to
 * disk. Returns its size.
 */
export async function writeFileWhole(
  path: string,
  { force }: { force: boolean },
  write: (sink: Writable) => Promise<void>,
): Promise<number> {
  if (!force && existsSync(path)) throw alreadyExists(path)
  const draft = `${path}.${randomBytes(4).toString('hex')}.partial`
  const file = await open(draft, 'wx', 0o600).catch(error => {
    throw cannotWrite(error)
  })
  try {
    await write(file.createWriteStream({ flush: true }))
    const { size } = await stat(draft)
    // Unlike rename, link fails if another process has created the file in the meantime.
    await (force ? rename(draft, path) : link(draft, path)).catch(error => {
      throw error.code === 'EEXIST' ? alreadyExists(path) : cannotWrite(error)
    })
    await syncToDisk(dirname(path))
    return size
  } finally {
    await rm(draft, { force: true })
  }
}
