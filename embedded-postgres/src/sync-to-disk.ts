import { open } from 'node:fs/promises'

/** Makes a file's content, or a directory's renames and links, survive a power failure. */
export async function syncToDisk(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
