import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeFileWhole } from './write-file.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-test-'))
  path = join(folder, 'file')
})
afterEach(() => rmSync(folder, { recursive: true }))

const writing = (text: string) => (sink: Writable) => pipeline([text], sink)

it('writes a file readable by its owner only, and leaves no temporary file', async () => {
  expect(await writeFileWhole(path, { force: false }, writing('hello'))).toBe(5)
  expect(readFileSync(path, 'utf8')).toBe('hello')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['file'])
})

it('replaces a file only with --force', async () => {
  writeFileSync(path, 'old')
  await expect(writeFileWhole(path, { force: false }, writing('new'))).rejects.toThrow(
    /already exists.*--force/,
  )
  expect(readFileSync(path, 'utf8')).toBe('old')
  await writeFileWhole(path, { force: true }, writing('new'))
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(readdirSync(folder)).toEqual(['file'])
})

it('does not replace a file created while it was writing', async () => {
  const racing = async (sink: Writable) => {
    writeFileSync(path, 'theirs')
    await writing('ours')(sink)
  }
  await expect(writeFileWhole(path, { force: false }, racing)).rejects.toThrow(/already exists/)
  expect(readFileSync(path, 'utf8')).toBe('theirs')
  expect(readdirSync(folder)).toEqual(['file'])
})

it('a failure keeps the existing file', async () => {
  writeFileSync(path, 'old')
  const failing = async (sink: Writable) => {
    await writing('half')(sink)
    throw new Error('no more')
  }
  await expect(writeFileWhole(path, { force: true }, failing)).rejects.toThrow('no more')
  expect(readFileSync(path, 'utf8')).toBe('old')
  expect(readdirSync(folder)).toEqual(['file'])
})
