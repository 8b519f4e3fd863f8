/** Protects who starts from a checkout: whatever is older than its sources is built first, also by several starts at once and after a crash. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { checkout, tributary } from './support/program.ts'
import { temporaryDirectory } from './support/temporary.ts'
import { until } from './support/until.ts'

let root: string
beforeAll(async () => {
  root = await temporaryDirectory()
  const sources = [
    'contract',
    'embedded-postgres',
    'sdk',
    'server',
    'web',
    'LICENSE',
    'package.json',
    'tsconfig.json',
  ]
  for (const name of sources)
    await cp(join(checkout, name), join(root, name), {
      recursive: true,
      filter: path => !/\/(dist|node_modules)$/.test(path),
    })
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'))
  // When a page is built is the subject, not what is on it: bundling all of it would be most of what this file takes.
  for (const page of ['dashboard', 'portal'])
    writeFileSync(join(root, `web/${page}/main.tsx`), `document.title = '${page}'\n`)
})

const dist = () => join(root, 'server/dist')
const builds = () => readdirSync(dist()).filter(name => /^\d+-/.test(name))
const unfinished = () => readdirSync(dist()).filter(name => name.startsWith('building-'))
const current = () => readFileSync(join(dist(), 'current'), 'utf8').trim()
const change = (source: string) => utimesSync(join(root, source), new Date(), new Date())
const start = () => tributary(['--help'], {}, { root })

test('two starts at once on a checkout that was never built both run, and one build stays', async () => {
  const both = await Promise.all([start(), start()])
  expect(both.map(({ code, stdout }) => [code, stdout])).toEqual([
    [0, both[0].stdout],
    [0, both[0].stdout],
  ])
  change('sdk/README.md')
  expect((await start()).code).toBe(0)
  expect(builds()).toEqual([current()])
  for (const part of ['program/main.cjs', 'web/dashboard.html', 'sdk'])
    expect(existsSync(join(dist(), current(), part))).toBe(true)
})

test('the Node.js that built the program accepts the bytecode of each of its files', async () => {
  const count = `
    import { readdirSync, readFileSync } from 'node:fs'
    import Module from 'node:module'
    import { Script } from 'node:vm'
    const checksumBytes = 32
    for (const name of readdirSync('.').filter(name => name.endsWith('.cjs'))) {
      const cachedData = readFileSync(name + '.bytecode').subarray(checksumBytes)
      const { cachedDataRejected } = new Script(Module.wrap(readFileSync(name, 'utf8')), { cachedData })
      console.log(cachedDataRejected ? 'rejected: ' + name : 'accepted')
    }`
  const cwd = join(dist(), current(), 'program')
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', count], {
    cwd,
  })
  expect([...new Set(stdout.trim().split('\n'))]).toEqual(['accepted'])
})

test('a start that finds nothing changed builds nothing; a changed part is made anew and the others are taken over', async () => {
  const before = current()
  const madeAt = (part: string) => readFileSync(join(dist(), current(), part, 'made-at'), 'utf8')
  const made = [madeAt('program'), madeAt('web')]
  change('contract/src/money.test.ts')
  await start()
  expect(current(), 'a test is no part of it').toBe(before)
  change('embedded-postgres/src/settings.ts')
  await start()
  expect(current()).not.toBe(before)
  expect(madeAt('program')).not.toBe(made[0])
  expect(madeAt('web')).toBe(made[1])
})

test('a build that is killed midway leaves the build before it, and the next start makes its own', async () => {
  const killedBuild = async () => {
    const before = current()
    change('web/portal.html')
    const builder = spawn(process.execPath, [join(root, 'server/bin/build.js')], { stdio: 'ignore' })
    const ended = once(builder, 'exit')
    await until(
      'a build is under way',
      () => builder.exitCode !== null || unfinished().some(name => existsSync(join(dist(), name, 'in-use'))),
    )
    builder.kill('SIGKILL')
    const [code] = await ended
    return { before, wasFaster: code !== null }
  }
  let killed = await killedBuild()
  while (killed.wasFaster) killed = await killedBuild()
  const { before } = killed
  expect(current()).toBe(before)
  const program = join(dist(), before, 'program/main.cjs')
  expect((await promisify(execFile)(process.execPath, [program, '--help'])).stdout).toContain(
    'Usage: tributary',
  )
  expect((await start()).code).toBe(0)
  expect(builds()).toEqual([current()])
  expect([current() === before, unfinished()]).toEqual([false, []])
})
