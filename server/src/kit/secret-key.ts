import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The installation's secret key, generated on first start. Concurrent starts end up with the same key. */
export async function secretKeyIn(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secret.key')
  const known = await readIfPresent(path)
  if (known) return known
  await mkdir(dataDir, { recursive: true })
  const draft = join(dataDir, `secret.key.${process.pid}`)
  await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true })
  // Creating a link is atomic, and fails if another process was first.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(draft)
  return secretKeyIn(dataDir)
}
