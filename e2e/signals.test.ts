/**
 * Protects the requests in hand and the database when the service is stopped (row 29): a request to stop often arrives as several
 * signals, and none of them may lose an answer or leave a PostgreSQL behind.
 */
import { once } from 'node:events'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { reportMeasurement, seed, sized } from '../testing/size.ts'
import { holdRequest } from './support/held-request.ts'
import { isAlive, postmasterPid, untilGone } from './support/postgres-process.ts'
import { type Env, must, type Running, start, startTributary } from './support/program.ts'
import type { Programme } from './support/programme.ts'
import { type Service, untilClosed, untilServing } from './support/service.ts'
import { emptyDataDir, preparedDataDir } from './support/shared.ts'
import { temporaryDirectory } from './support/temporary.ts'
import { until } from './support/until.ts'

const ROUNDS = sized(1, 10)
/** Signals that are further apart than this are two requests. */
const TOGETHER_MS = 2_000

let dataDir: string
let env: Env
let programme: Programme

beforeAll(async () => {
  ;({ dataDir, programme } = await preparedDataDir())
  env = { TRIBUTARY_DATA_DIR: dataDir, PORT: '0' }
})

const alone = { detached: true }
const LAUNCHER = 'server/bin/tributary.js'

/** Every way in which people start the service. Each is the first of its process group, as under a supervisor or in a terminal. */
const ways: [string, (more?: Env) => Running][] = [
  ['the binary', more => startTributary(['serve'], { ...env, ...more }, alone)],
  ['npm start', more => start('npm', ['start'], { ...env, ...more }, alone)],
  ['two processes', more => startTributary(['serve', '--processes', '2'], { ...env, ...more }, alone)],
]
const inTerminal: [string, (more?: Env) => Running][] = [
  [
    'the binary',
    more =>
      start('script', ['-qefc', `exec node ${LAUNCHER} serve`, '/dev/null'], { ...env, ...more }, alone),
  ],
  ['npm start', more => start('script', ['-qefc', 'npm start', '/dev/null'], { ...env, ...more }, alone)],
  [
    'two processes',
    more =>
      start(
        'script',
        ['-qefc', `exec node ${LAUNCHER} serve --processes 2`, '/dev/null'],
        { ...env, ...more },
        alone,
      ),
  ],
]

const random = (() => {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
})()

type Signalling = (service: Service) => Promise<unknown>
const group = ({ pid }: Service, name: NodeJS.Signals) => process.kill(-pid, name)

const signallings: [string, Signalling][] = [
  ['one signal', async ({ child }) => child.kill('SIGTERM')],
  [
    'two of a kind',
    async ({ child }) => {
      child.kill('SIGTERM')
      await sleep(random() * 500)
      child.kill('SIGTERM')
    },
  ],
  [
    'two kinds',
    async ({ child }) => {
      child.kill('SIGINT')
      await sleep(random() * 500)
      child.kill('SIGTERM')
    },
  ],
  ['its whole process group', async service => group(service, 'SIGTERM')],
  ['its whole process group, by Ctrl-C', async service => group(service, 'SIGINT')],
]

/** The terminal is gone at once, whatever runs in it; what the service says from then on goes nowhere. */
const closeTerminal: Signalling = async ({ child }) => child.kill('SIGKILL')

/** Every process that serves this data directory; one in a terminal is no child of ours. */
const serving = () =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => isAlive(pid) && environmentOf(pid).includes(`TRIBUTARY_DATA_DIR=${dataDir}`))

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    // It has just ended.
    return []
  }
}

async function expectNothingLeft(postgres: number): Promise<void> {
  await untilGone(postgres)
  await until('every process has ended', () => serving().length === 0)
  expect(postmasterPid(dataDir)).toBeUndefined()
  stops++
}

let stops = 0

/** A request that is in hand when the signal comes is answered in full, and no PostgreSQL is left. */
async function expectCleanStop(begin: () => Running, signal: Signalling): Promise<void> {
  const service = await untilServing(begin())
  const postgres = postmasterPid(dataDir) as number
  const held = await holdRequest(service.url, programme)
  await signal(service)
  await untilClosed(service.url)
  expect(await held.finish()).toMatchObject({ status: 201, complete: true })
  await service.ended
  await expectNothingLeft(postgres)
}

async function inRounds(begin: () => Running, signal: Signalling): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await expectCleanStop(begin, signal)
}

/** Each way with each signalling in full size; beside other tests, each of both at least once. */
const pairs = ways.flatMap(([way, begin]) =>
  signallings.map(([how, signal]) => ({ way, how, begin, signal })),
)
const few = [
  'the binary: two of a kind',
  'the binary: two kinds',
  'npm start: its whole process group',
  'two processes: its whole process group, by Ctrl-C',
]
const chosen = sized(
  pairs.filter(({ way, how }) => few.includes(`${way}: ${how}`)),
  pairs,
)

test.each(chosen)(
  'finishes the request in flight and stops PostgreSQL: $way, $how',
  ({ begin, signal }) => inRounds(begin, signal),
  ROUNDS * 180_000,
)

test.each(sized(inTerminal.slice(1), inTerminal))(
  'finishes the request in flight and stops PostgreSQL when its terminal is closed: %s',
  (_, begin) => inRounds(begin, closeTerminal),
  ROUNDS * 180_000,
)

test.each(ways)(
  'aborts work in flight on a second signal, and still stops PostgreSQL: %s',
  async (_, begin) => {
    const service = await untilServing(begin({ TRIBUTARY_DRAIN_DELAY_SECONDS: '300' }))
    const postgres = postmasterPid(dataDir) as number
    const held = await holdRequest(service.url, programme)
    service.child.kill('SIGTERM')
    await until('it is draining', async () => (await fetch(`${service.url}/readyz`)).status === 503)
    await sleep(TOGETHER_MS)
    service.child.kill('SIGTERM')
    expect(await service.ended).toBe(143)
    await held.closed
    await expectNothingLeft(postgres)
  },
)

test('a command that is interrupted takes the PostgreSQL that it has started with it', async () => {
  const command = startTributary(['demo', '--account-name', 'Interrupted', '--scale', '3'], env)
  const postgres = await until('PostgreSQL runs', () => postmasterPid(dataDir))
  await until('it is at work', () => command.output.stderr.includes('Generating a year'))
  command.child.kill('SIGINT')
  expect(await command.ended).toBe(130)
  await expectNothingLeft(postgres)
})

test.each(['doctor', 'migrate'])('so does %s', async name => {
  const command = startTributary([name], env)
  const isOver = () => command.child.exitCode !== null || command.child.signalCode !== null
  const postgres = await until('PostgreSQL runs', () => postmasterPid(dataDir) ?? (isOver() && 0))
  command.child.kill('SIGINT')
  // It may have been quicker than the signal.
  expect([0, 130]).toContain(await command.ended)
  await expectNothingLeft(postgres)
})

test('so does a sync of a connector, while it waits for the provider', async () => {
  // It never answers.
  const provider = createServer().listen(0, '127.0.0.1')
  await once(provider, 'listening')
  try {
    const { port } = provider.address() as AddressInfo
    const account = ['--account', String(programme.accountId)]
    const api = ['--api-key', 'rk_1', '--api-url', `http://127.0.0.1:${port}`]
    await must(['connector', 'add', 'stripe', ...account, '--signing-secret', 'whsec_1', ...api], env)
    const command = startTributary(['connector', 'sync', 'stripe', ...account, '--since', '2026-01-01'], env)
    await once(provider, 'connection')
    const postgres = postmasterPid(dataDir) as number
    command.child.kill('SIGINT')
    expect(await command.ended).toBe(130)
    await expectNothingLeft(postgres)
  } finally {
    provider.closeAllConnections()
    provider.close()
  }
})

test('a restore that is interrupted while PostgreSQL starts restores nothing', async () => {
  const there = await emptyDataDir()
  const file = join(await temporaryDirectory(), 'one.backup')
  await must(['backup', file], env)
  copyFileSync(join(dataDir, 'secret.key'), join(there, 'secret.key'))
  const command = startTributary(['restore', '-'], { TRIBUTARY_DATA_DIR: there }, { stdin: 'pipe' })
  const postgres = await until('PostgreSQL runs', () => postmasterPid(there))
  command.child.kill('SIGINT')
  // It no longer reads.
  command.child.stdin?.on('error', () => undefined).end(readFileSync(file))
  expect(await command.ended).toBe(1)
  expect(command.output).toEqual({ stdout: '', stderr: 'SIGINT: nothing was restored.\n' })
  await untilGone(postgres)
})

test('a rolling restart that is requested while the processes start ends none of them', async () => {
  const program = startTributary(['serve', '--processes', '2'], env, alone)
  const postgres = await until('PostgreSQL runs', () => postmasterPid(dataDir))
  program.child.kill('SIGHUP')
  const service = await untilServing(program)
  expect(await service.stop()).toBe(0)
  await expectNothingLeft(postgres)
})

test('no stop has left anything behind', () => {
  expect(postmasterPid(dataDir)).toBeUndefined()
  reportMeasurement({
    row: 29,
    what: 'stops without a lost answer or a PostgreSQL left behind',
    value: stops,
    bar: 'all',
    holds: true,
  })
})
