import { execFileSync } from 'node:child_process'
import { chmod, cp, lstat, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type BinaryPackage,
  describePackage,
  findPackage,
  prepareBinaries,
  withShellSafeBinaries,
} from '../src/binaries.ts'
import { runProgram } from '../src/run-program.ts'
import { chooseServerUser } from '../src/unprivileged-user.ts'
import { temporaryDirectory } from './temporary-cluster.ts'

const isRoot = process.getuid?.() === 0

/** The package as npm unpacks it when install scripts are off: without its symlinks. */
async function packageWithoutSymlinks(): Promise<BinaryPackage> {
  const directory = await temporaryDirectory(0o755)
  // Half of the package are the small files in `share`, which only a running server needs.
  const filter = async (path: string) => basename(path) !== 'share' && !(await lstat(path)).isSymbolicLink()
  await cp((await findPackage()).directory, directory, { recursive: true, filter })
  return describePackage(directory)
}

function expectToRun(native: string): void {
  expect(execFileSync(join(native, 'bin/initdb'), ['--version'], { encoding: 'utf8' })).toMatch(
    /PostgreSQL\) 18\./,
  )
}

test('missing symlinks are restored in the package itself', async () => {
  const source = await packageWithoutSymlinks()
  const home = await temporaryDirectory(0o755)
  const user = await chooseServerUser(join(home, 'data'))
  const native = await prepareBinaries(source, home, user)
  expect(native).toBe(join(source.directory, 'native'))
  expectToRun(native)
  expect(await readdir(home)).toEqual([])
})

// Root can write anywhere, but the user that PostgreSQL runs under cannot read everywhere.
const unusable = isRoot
  ? { name: 'cannot be reached by the user of PostgreSQL', mode: 0o700, path: '.' }
  : { name: 'lacks symlinks and cannot be written to', mode: 0o555, path: 'native/lib' }

test(`a package that ${unusable.name} is copied once, by several at a time`, async () => {
  const source = await packageWithoutSymlinks()
  const home = await temporaryDirectory(0o755)
  const user = await chooseServerUser(join(home, 'data'))
  const restricted = join(source.directory, unusable.path)
  await chmod(restricted, unusable.mode)
  try {
    const copies = await Promise.all([1, 2].map(() => prepareBinaries(source, home, user)))
    const copy = join(home, `bin-${source.version}`)
    expect(copies).toEqual([copy, copy])
    expectToRun(copy)
    expect(await readdir(home)).toEqual([`bin-${source.version}`])
    // The next start uses the copy and does not look at the package again.
    await chmod(restricted, 0o755)
    await rm(join(source.directory, 'native'), { recursive: true })
    expect(await prepareBinaries(source, home, user)).toBe(copy)
  } finally {
    await chmod(restricted, 0o755).catch(() => undefined)
  }
})

test('initdb works from a path with characters that mean something to a shell', async () => {
  const installed = await findPackage()
  const directory = join(await temporaryDirectory(0o755), `a, "b" 'c' \\ \`d\` $e`)
  await cp(installed.directory, directory, { recursive: true, verbatimSymlinks: true })
  const user = await chooseServerUser(join(directory, 'data'))
  const native = await prepareBinaries(await describePackage(directory), directory, user)
  expect(native).toBe(join(directory, 'native'))

  const initdb = (from: string) =>
    runProgram(join(from, 'bin/initdb'), ['--pgdata=/nowhere', '--show'], { user })
  expect((await initdb(native)).succeeded).toBe(false)
  const used = await withShellSafeBinaries(native, user, async safe => {
    expect(await initdb(safe)).toMatchObject({ succeeded: true })
    return safe
  })
  await expect(lstat(used)).rejects.toThrow('ENOENT')
  expect(await withShellSafeBinaries('/plain/path', user, async safe => safe)).toBe('/plain/path')
})
