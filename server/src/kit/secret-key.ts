import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

async function read(path: string): Promise<string> {
  const key = (await readFile(path, 'utf8')).trim()
  // It was complete before it had this name, so no process is still writing it.
  if (key === '')
    throw new Error(
      'the file is empty. Restore it from your copy; if nothing has been encrypted yet, delete it, and a key is generated.',
    )
  return key
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await read(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The installation's secret key, generated on first start. Concurrent starts end up with the same key. */
export async function secretKeyIn(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secret.key')
  const known = await readIfPresent(path)
  if (known !== undefined) return known
  await mkdir(dataDir, { recursive: true })
  // Not named by process: in containers that share the directory, these have the same ids.
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  try {
    await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true })
    // Creating a link is atomic, and fails if another process was first.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  return read(path)
}
