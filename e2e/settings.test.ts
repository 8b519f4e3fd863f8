import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pidFile } from './support/postgres-process.ts'
import { type Env, type Result, tributary } from './support/program.ts'
import { preparedDataDir } from './support/shared.ts'
import { newDataDir } from './support/temporary.ts'

const STACK_TRACE = /^\s+at .*[:(]/m

let env: Env
let dataDir: string
/** Accepts connections and never responds. */
let silent: Server | undefined
let takenPort: string

beforeAll(async () => {
  ;({ dataDir } = await preparedDataDir())
  env = {
    TRIBUTARY_DATA_DIR: dataDir,
    TRIBUTARY_SECRET_KEY: (await readFile(join(dataDir, 'secret.key'), 'utf8')).trim(),
  }
  silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  takenPort = String((silent.address() as AddressInfo).port)
})
afterAll(() => {
  // A failed preparation must not keep the clean-up that follows from running.
  silent?.close()
})

function expectRefusal({ code, stdout, stderr }: Result, ...messages: (string | RegExp)[]): void {
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  for (const message of messages) expect(stderr).toMatch(message)
  expect(stderr, 'a stack trace').not.toMatch(STACK_TRACE)
}

/** Invalid settings, and the expected message. */
const wrong: [Env, RegExp][] = [
  [{ PORT: 'abc' }, /PORT must be a whole number/],
  [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL must be one of .*info/],
  [{ DATABASE_URL: 'mysql://a@127.0.0.1/b' }, /DATABASE_URL must be .*postgres:/],
  [{ TRIBUTARY_SECRET_KEY: 'short' }, /TRIBUTARY_SECRET_KEY must be at least 32/],
  [{ NODE_ENV: 'prod' }, /NODE_ENV must be one of .*production/],
  [{ TRIBUTARY_BASE_URL: 'example.com' }, /TRIBUTARY_BASE_URL must be an absolute URL/],
  [{ TRIBUTARY_RATE_LIMIT_PER_MINUTE: '0' }, /TRIBUTARY_RATE_LIMIT_PER_MINUTE must be a whole number/],
  [{ TRIBUTARY_TRUST_PROXY: 'yes' }, /TRIBUTARY_TRUST_PROXY must be/],
  [{ TRIBUTARY_PAYPAL_URL: 'paypal.example' }, /TRIBUTARY_PAYPAL_URL must be an absolute URL/],
  [{ TRIBUTARY_WEBHOOK_ALLOW_CIDRS: '10.0.0.0/99' }, /TRIBUTARY_WEBHOOK_ALLOW_CIDRS must be/],
]

// First, because it takes longest: a connection that gets no response times out three times. The other tests run meanwhile.
describe.concurrent('a database that cannot be reached', () => {
  test('the server is not PostgreSQL', async () => {
    const DATABASE_URL = `postgres://tributary@127.0.0.1:${takenPort}/tributary`
    expectRefusal(
      await tributary(['serve'], { ...env, DATABASE_URL }),
      /^Can't connect to the database: \w+/m,
    )
  })

  // Nothing listens on port 1. `localhost` may stand for two addresses, whose failures pg reports as one without words.
  for (const host of ['127.0.0.1', 'localhost'])
    test(`nothing listens on ${host}`, async () => {
      const DATABASE_URL = `postgres://tributary@${host}:1/tributary`
      expectRefusal(
        await tributary(['serve'], { ...env, DATABASE_URL }),
        /^Can't connect to the database: .*ECONNREFUSED/m,
      )
    })

  test('a socket directory that does not exist', async () => {
    const DATABASE_URL = 'postgres:///tributary?host=/nonexistent&user=tributary'
    expectRefusal(await tributary(['doctor'], { ...env, DATABASE_URL }), /Can't connect to the database: \w+/)
  })
})

describe.concurrent('settings that are not right', () => {
  for (const [setting, message] of wrong.slice(0, 4))
    test(`${Object.entries(setting).join().replace(',', '=')} is refused`, async () => {
      const result = await tributary(['serve'], { ...env, ...setting })
      expectRefusal(result, message)
      expect(result.stderr.match(/ must be /g), 'nothing else is wrong').toHaveLength(1)
    })

  test('all of them are listed at once, whatever the command', async () => {
    const everything = Object.assign({}, ...wrong.map(([setting]) => setting))
    const messages = wrong.map(([, message]) => message)
    expectRefusal(await tributary(['key', 'list', '--account', '1'], { ...env, ...everything }), ...messages)
  })
})

/** Sequential, because they use one data directory. */
describe.concurrent('a start that cannot succeed', () => {
  test.sequential('another secret key than the database knows is refused', async () => {
    const other = { ...env, TRIBUTARY_SECRET_KEY: 'another key than that of this installation' }
    const commands = [['serve'], ['worker'], ['migrate'], ['key', 'list', '--account', '1']]
    const quiet = { ...other, PORT: '0', LOG_LEVEL: 'silent' }
    for (const result of await Promise.all(commands.map(args => tributary(args, quiet))))
      expectRefusal(result, /TRIBUTARY_SECRET_KEY does not match the key/)
    expect(pidFile(dataDir), 'PostgreSQL went with the last of them').toBeUndefined()
    const doctor = await tributary(['doctor'], other)
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(/^FAIL {3}secret key$/m)
    expect(doctor.stderr).toContain('TRIBUTARY_SECRET_KEY does not match the key')
  })

  test.sequential('a secret key that cannot be read is named, and no PostgreSQL stays behind', async () => {
    const other = await newDataDir()
    await mkdir(join(other, 'secret.key'), { recursive: true })
    const place = { TRIBUTARY_DATA_DIR: other, LOG_LEVEL: 'silent' }
    for (const command of ['serve', 'migrate']) {
      expectRefusal(await tributary([command], { ...place, PORT: '0' }), /^Can't read .*secret\.key: EISDIR/m)
      expect(pidFile(other)).toBeUndefined()
    }
  })

  test.sequential('an empty secret key is named, and no PostgreSQL stays behind', async () => {
    const other = await newDataDir()
    await mkdir(other, { recursive: true })
    await writeFile(join(other, 'secret.key'), '')
    const place = { TRIBUTARY_DATA_DIR: other, LOG_LEVEL: 'silent', PORT: '0' }
    expectRefusal(await tributary(['serve'], place), /^Can't read .*secret\.key: the file is empty\. /m)
    expect(pidFile(other)).toBeUndefined()
  })

  test.sequential('a taken port is named, and no PostgreSQL stays behind', async () => {
    const result = await tributary(['serve'], { ...env, PORT: takenPort, LOG_LEVEL: 'silent' })
    expectRefusal(result, new RegExp(`Port ${takenPort} .*already in use`))
    expect(pidFile(dataDir)).toBeUndefined()
  })

  test.sequential('an address that is not of this machine is named', async () => {
    const result = await tributary(['serve'], { ...env, PORT: '0', HOST: '192.0.2.1', LOG_LEVEL: 'silent' })
    expectRefusal(result, /192\.0\.2\.1/)
    expect(pidFile(dataDir)).toBeUndefined()
  })
})
