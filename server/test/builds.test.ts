/** Protects a running service while it is updated: its build stays until its last process has ended, and a start finds a whole one. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'

let dist: string
/** Every process of a test, and its end. */
let running: Map<ChildProcess, Promise<unknown>>
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'tributary-builds-'))
  running = new Map()
})
afterEach(async () => {
  await Promise.all([...running.keys()].map(kill))
  rmSync(dist, { recursive: true })
})

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await running.get(child)
}

/** A process on its own, as a service, a command and a builder are. */
function run(program: string, env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const builds = new URL('../bin/builds.js', import.meta.url)
  const code = `
    import { writeFileSync } from 'node:fs'
    import { addBuild, holdCurrentBuild } from '${builds}'
    const dist = process.argv[1]
    const line = () => new Promise(resolve => process.stdin.once('data', resolve))
    ${program}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, dist], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  running.set(child, once(child, 'exit'))
  return child
}

async function ended(child: ChildProcess): Promise<string> {
  child.stdin?.end()
  const said = await text(child.stdout as NonNullable<typeof child.stdout>)
  await running.get(child)
  expect(child.exitCode).toBe(0)
  return said.trim()
}

const startBuild = (name: string, env?: NodeJS.ProcessEnv) =>
  run(
    `await addBuild(dist, async folder => writeFileSync(folder + '/late.js', "export default '${name}'"))`,
    env,
  )
const build = async (name: string, env?: NodeJS.ProcessEnv) => ended(startBuild(name, env))

/** A service: it holds its build, and loads a part of it when it is asked to. */
async function serve(): Promise<ChildProcess> {
  const child = run(`
    const { build } = holdCurrentBuild(dist)
    console.log('started')
    await line()
    console.log((await import(build + '/late.js')).default)`)
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
  return child
}
async function loadsLate(child: ChildProcess): Promise<string> {
  child.stdin?.write('load\n')
  return ended(child)
}
const startAndLoad = async () => loadsLate(await serve())

/** What each folder there has been made as; `unfinished` where a build was broken off. */
const kept = () =>
  readdirSync(dist)
    .filter(name => name !== 'current')
    .map(name =>
      name.startsWith('building-')
        ? 'unfinished'
        : /'(.*)'/.exec(readFileSync(join(dist, name, 'late.js'), 'utf8'))?.[1],
    )
    .toSorted()

test('a process keeps loading chunks of the build it started from, and new processes run the newest', async () => {
  await build('A')
  const service = await serve()
  await build('B')
  await build('C')
  expect(await startAndLoad()).toBe('C')
  expect(kept()).toEqual(['A', 'C'])
  expect(await loadsLate(service)).toBe('A')
})

test.each([
  ['has ended', loadsLate],
  ['was killed', kill],
])('the build of a process that %s is removed by the next build', async (_how, end) => {
  await build('A')
  const service = await serve()
  await build('B')
  await end(service)
  expect(kept()).toEqual(['A', 'B'])
  await build('C')
  expect(kept()).toEqual(['C'])
})

test('a build is kept for the last of several processes', async () => {
  await build('A')
  const [one, other] = await Promise.all([serve(), serve()])
  await kill(one)
  await build('B')
  expect(await loadsLate(other)).toBe('A')
})

test('a build that is killed midway leaves the one before in place, and what it left goes with the next', async () => {
  await build('A')
  const builder = run(`
    await addBuild(dist, async folder => {
      writeFileSync(folder + '/late.js', 'export def')
      console.log('midway')
      await line()
    })`)
  await once(builder.stdout as NonNullable<typeof builder.stdout>, 'data')
  // Another one that finishes at this moment leaves it alone.
  await build('B')
  expect(kept()).toEqual(['B', 'unfinished'])
  await kill(builder)
  expect(await startAndLoad()).toBe('B')
  await build('C')
  expect(kept()).toEqual(['C'])
})

test('a build that fails leaves nothing', async () => {
  await build('A')
  const builder = run(`
    await addBuild(dist, async () => { throw new Error('a mistake in a source') }).catch(error => console.log(error.message))`)
  expect(await ended(builder)).toBe('a mistake in a source')
  expect(kept()).toEqual(['A'])
  expect(await startAndLoad()).toBe('A')
})

test('a start that read the name of a build which is then replaced and removed takes the new one', async () => {
  await build('first')
  const pointer = join(dist, 'current')
  const first = readFileSync(pointer, 'utf8')
  await build('second')
  const second = readFileSync(pointer, 'utf8')
  expect(kept()).toEqual(['second'])
  // A reader of a FIFO waits until it is closed: the start has read the first name, and has not come to hold that build.
  rmSync(pointer)
  execFileSync('mkfifo', [pointer])
  const start = run(`
    const { build } = holdCurrentBuild(dist)
    console.log((await import(build + '/late.js')).default)`)
  const beingRead = await open(pointer, 'w')
  await beingRead.write(first)
  writeFileSync(`${pointer}-new`, second)
  renameSync(`${pointer}-new`, pointer)
  await beingRead.close()
  expect(await ended(start)).toBe('second')
})

test('of several builds at once each finishes, and starts beside them find a whole one', async () => {
  await build('A')
  const builders = Array.from({ length: 6 }, () => startBuild('B'))
  const found = await Promise.all(Array.from({ length: 6 }, startAndLoad))
  expect(found.filter(name => name !== 'A' && name !== 'B')).toEqual([])
  await Promise.all(builders.map(ended))
  expect(await startAndLoad()).toBe('B')
  await build('C')
  expect(kept()).toEqual(['C'])
})

test('without FIFOs the build before the current one is kept', async () => {
  const withoutPrograms = { PATH: '/nowhere' }
  await build('A', withoutPrograms)
  const service = await serve()
  await build('B', withoutPrograms)
  expect(await loadsLate(service)).toBe('A')
  await build('C', withoutPrograms)
  expect(kept()).toEqual(['B', 'C'])
})
