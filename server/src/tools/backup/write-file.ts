import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { BackupError, cannotWrite } from './backup-format.ts'

/** Makes a file's content, or a directory's renames and links, survive a power cut. */
async function syncToDisk(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const isThere = (path: string) =>
  new BackupError(`${path} is there already. Name another file, or add --force to replace it.`)

/**
 * Lets a file come to be whole or not at all, readable by its owner alone: it is written beside its place, and gets its name once it is
 * on the disk. Returns its size.
 */
export async function writeFileWhole(
  path: string,
  { force }: { force: boolean },
  write: (sink: Writable) => Promise<void>,
): Promise<number> {
  if (!force && existsSync(path)) throw isThere(path)
  const draft = `${path}.${randomBytes(4).toString('hex')}.partial`
  const file = await open(draft, 'wx', 0o600).catch(error => {
    throw cannotWrite(error)
  })
  try {
    await write(file.createWriteStream({ flush: true }))
    const { size } = await stat(draft)
    // Of the two, only a link refuses to take the place of a file that somebody else has made meanwhile.
    await (force ? rename(draft, path) : link(draft, path)).catch(error => {
      throw error.code === 'EEXIST' ? isThere(path) : cannotWrite(error)
    })
    await syncToDisk(dirname(path))
    return size
  } finally {
    await rm(draft, { force: true })
  }
}
