import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { secretKeyIn } from './secret-key.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tributary-secret-key-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

test('concurrent starts end up with the same key, which is kept', async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, () => secretKeyIn(dataDir)))
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toHaveLength(44)
  expect(await secretKeyIn(dataDir)).toBe(keys[0])
  expect(await readdir(dataDir)).toEqual(['secret.key'])
})

for (const content of ['', ' \n'])
  test(`a file with ${JSON.stringify(content)} in it is refused, and left as it is`, async () => {
    const path = join(dataDir, 'secret.key')
    await writeFile(path, content)
    await expect(secretKeyIn(dataDir)).rejects.toThrow(/empty/)
    expect(await readFile(path, 'utf8')).toBe(content)
  })

test('a link to a file that is missing is refused', async () => {
  await symlink(join(dataDir, 'missing'), join(dataDir, 'secret.key'))
  await expect(secretKeyIn(dataDir)).rejects.toThrow(/ENOENT/)
  expect(await readdir(dataDir)).toEqual(['secret.key'])
})
