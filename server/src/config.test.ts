/** Settings: every invalid one is reported by name with what is expected, all at once. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { baseUrl, readSettings, type Settings, SettingsError, settings, unknownSettings } from './config.ts'

type Name = keyof Settings
const read = (name: Name, value: string) => readSettings({ [name]: value })[name]

it('has defaults for everything', () => {
  expect(readSettings({})).toMatchObject({
    PORT: 3000,
    TRIBUTARY_PROCESSES: 1,
    HOST: '127.0.0.1',
    DATABASE_URL: undefined,
    TRIBUTARY_DATABASE_POOLER: 'none',
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    TRIBUTARY_BASE_URL: undefined,
    TRIBUTARY_SECRET_KEY: undefined,
    TRIBUTARY_RATE_LIMIT_PER_MINUTE: 300,
    TRIBUTARY_DRAIN_DELAY_SECONDS: 0,
    TRIBUTARY_WORKER_PORT: undefined,
    TRIBUTARY_TRUST_PROXY: false,
    TRIBUTARY_WEBHOOK_ALLOW_CIDRS: undefined,
  })
})

it('an empty value counts as unset', () => {
  const empty = Object.fromEntries(Object.keys(settings).map(name => [name, '']))
  expect(readSettings(empty)).toEqual(readSettings({}))
})

it('every setting documents its meaning and its default', () => {
  for (const [name, { meaning, default: fallback }] of Object.entries(settings))
    expect([name, meaning.length > 10, fallback.length > 0]).toEqual([name, true, true])
})

describe('accepts', () => {
  it.each<[Name, string, unknown]>([
    ['PORT', '0', 0],
    ['PORT', '65535', 65535],
    ['TRIBUTARY_PROCESSES', '1', 1],
    ['TRIBUTARY_PROCESSES', '32', 32],
    ['HOST', '0.0.0.0', '0.0.0.0'],
    ['DATABASE_URL', 'postgres://u:p@h/db', 'postgres://u:p@h/db'],
    ['DATABASE_URL', 'postgresql://h:5433/db?sslmode=require', 'postgresql://h:5433/db?sslmode=require'],
    ['DATABASE_URL', 'postgres://h/db?application_name=a', 'postgres://h/db'],
    ['DATABASE_URL', 'postgres://u:100%@h/db?host=/run', 'postgres://u:100%@h/db?host=/run'],
    [
      'TRIBUTARY_MIGRATION_DATABASE_URL',
      'postgres://h/db?fallback_application_name=a&options=-c%20work_mem%3D9MB&application_name=b',
      'postgres://h/db?options=-c%20work_mem%3D9MB',
    ],
    ['TRIBUTARY_DATABASE_POOLER', 'transaction', 'transaction'],
    ['NODE_ENV', 'production', 'production'],
    ['NODE_ENV', 'test', 'test'],
    ['LOG_LEVEL', 'debug', 'debug'],
    ['LOG_LEVEL', 'silent', 'silent'],
    ['TRIBUTARY_BASE_URL', 'https://a.example/', 'https://a.example'],
    ['TRIBUTARY_BASE_URL', 'http://a.example:8080/b//', 'http://a.example:8080/b'],
    ['TRIBUTARY_DATA_DIR', '/var/lib/tributary', '/var/lib/tributary'],
    ['TRIBUTARY_GEO_DATABASE', '/var/lib/geo/country.mmdb', '/var/lib/geo/country.mmdb'],
    ['TRIBUTARY_SECRET_KEY', 'x'.repeat(32), 'x'.repeat(32)],
    ['TRIBUTARY_RATE_LIMIT_PER_MINUTE', '1', 1],
    ['TRIBUTARY_DRAIN_DELAY_SECONDS', '15', 15],
    ['TRIBUTARY_WORKER_PORT', '0', 0],
    ['TRIBUTARY_TRUST_PROXY', 'true', true],
    ['TRIBUTARY_TRUST_PROXY', 'false', false],
    ['TRIBUTARY_TRUST_PROXY', '2', 2],
    ['TRIBUTARY_TRUST_PROXY', '10.0.0.1, fd00::/8', ['10.0.0.1', 'fd00::/8']],
  ])('%s=%s', (name, value, expected) => expect(read(name, value)).toEqual(expected))

  it('address ranges', () => {
    const allowed = readSettings({
      TRIBUTARY_WEBHOOK_ALLOW_CIDRS: '10.1.0.0/16, 192.168.7.7,fd12::/16',
    }).TRIBUTARY_WEBHOOK_ALLOW_CIDRS
    expect(
      ['10.1.2.3', '192.168.7.7', '10.2.0.1', '192.168.7.8'].map(address => allowed?.has(address)),
    ).toEqual([true, true, false, false])
    expect(allowed?.has('fd12::1')).toBe(true)
  })
})

describe('rejects', () => {
  it.each<[Name, string]>([
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '3000.5'],
    ['PORT', '0x10'],
    ['PORT', ' 80'],
    ['PORT', 'http'],
    ['TRIBUTARY_PROCESSES', '0'],
    ['TRIBUTARY_PROCESSES', '33'],
    ['TRIBUTARY_PROCESSES', 'auto'],
    ['DATABASE_URL', 'mysql://h/db'],
    ['DATABASE_URL', 'localhost'],
    ['TRIBUTARY_MIGRATION_DATABASE_URL', 'db'],
    ['TRIBUTARY_DATABASE_POOLER', 'session'],
    ['NODE_ENV', 'prod'],
    ['LOG_LEVEL', 'loud'],
    ['TRIBUTARY_BASE_URL', 'programme.example'],
    ['TRIBUTARY_BASE_URL', 'ftp://programme.example'],
    ['TRIBUTARY_SECRET_KEY', 'x'.repeat(31)],
    ['TRIBUTARY_RATE_LIMIT_PER_MINUTE', '0'],
    ['TRIBUTARY_RATE_LIMIT_PER_MINUTE', '-5'],
    ['TRIBUTARY_RATE_LIMIT_PER_MINUTE', 'many'],
    ['TRIBUTARY_RATE_LIMIT_PER_MINUTE', '999999999'],
    ['TRIBUTARY_DRAIN_DELAY_SECONDS', '301'],
    ['TRIBUTARY_WORKER_PORT', 'metrics'],
    ['TRIBUTARY_TRUST_PROXY', 'yes'],
    ['TRIBUTARY_TRUST_PROXY', 'proxy.example'],
    ['TRIBUTARY_TRUST_PROXY', '10.0.0.0/33'],
    ['TRIBUTARY_TRUST_PROXY', '10.0.0.1/abc'],
    ['TRIBUTARY_WEBHOOK_ALLOW_CIDRS', '10.0.0.0/33'],
    ['TRIBUTARY_WEBHOOK_ALLOW_CIDRS', '10.0.0/8'],
    ['TRIBUTARY_WEBHOOK_ALLOW_CIDRS', 'fd00::/129'],
    ['TRIBUTARY_WEBHOOK_ALLOW_CIDRS', '10.0.0.0/'],
    ['TRIBUTARY_WEBHOOK_ALLOW_CIDRS', 'private'],
  ])('%s=%s', (name, value) => {
    expect(() => read(name, value)).toThrow(SettingsError)
    expect(() => read(name, value)).toThrow(`${name} must be `)
  })

  it('every setting that can be invalid, with what is expected', () => {
    const nonsense = ['nonsense', '-1', '99999999999', ' ', 'x://y', '\u0000']
    const paths = ['TRIBUTARY_DATA_DIR', 'TRIBUTARY_GEO_DATABASE']
    const free = ['HOST', 'TRIBUTARY_OPERATOR_HOST', 'TRIBUTARY_MAIL_FROM', ...paths]
    for (const name of Object.keys(settings).filter(each => !free.includes(each)) as Name[]) {
      const messages = nonsense.flatMap(value => {
        try {
          readSettings({ [name]: value })
          return []
        } catch (error) {
          return [(error as Error).message]
        }
      })
      expect([name, messages.length > 0]).toEqual([name, true])
      for (const message of messages)
        expect(message).toMatch(
          new RegExp(
            `^Invalid settings:\n  ${name} must be (an? |one of |at least |address |true|the )[^\n]+[^.]$`,
          ),
        )
    }
  })

  it('all invalid settings at once, without revealing a secret', () => {
    const wrong = { PORT: 'x', NODE_ENV: 'x', TRIBUTARY_SECRET_KEY: 'too short', DATABASE_URL: 'secret@db' }
    expect(() => readSettings(wrong)).toThrow(
      /PORT[\s\S]*DATABASE_URL[\s\S]*NODE_ENV[\s\S]*TRIBUTARY_SECRET_KEY/,
    )
    expect(() => readSettings(wrong)).not.toThrow(/too short|secret@db/)
  })
})

describe('a setting in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-config-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'secret')
  writeFileSync(file, `${'s'.repeat(32)}\n`)

  it('is read from the file; a direct value takes precedence', () => {
    const named = { TRIBUTARY_SECRET_KEY_FILE: file }
    expect(readSettings(named).TRIBUTARY_SECRET_KEY).toBe('s'.repeat(32))
    const both = { ...named, TRIBUTARY_SECRET_KEY: 'x'.repeat(32) }
    expect(readSettings(both).TRIBUTARY_SECRET_KEY).toBe('x'.repeat(32))
    expect(unknownSettings(named)).toEqual([])
  })

  it('that cannot be read or is invalid is reported like any other', () => {
    expect(() => readSettings({ DATABASE_URL_FILE: join(folder, 'none'), PORT_FILE: file })).toThrow(
      /PORT must be a whole number[\s\S]*DATABASE_URL must be in a readable file \(DATABASE_URL_FILE\): ENOENT/,
    )
    expect(() => readSettings({ PORT_FILE: file })).not.toThrow(/sss/)
  })
})

it('lists variables that look like settings but are not', () => {
  expect(unknownSettings({ TRIBUTARY_RATE_LIMIT: '1', TRIBUTARY_BASE_URL: 'x', PATH: 'x' })).toEqual([
    'TRIBUTARY_RATE_LIMIT',
  ])
})

it.each([
  [{}, 'http://127.0.0.1:3000'],
  [{ HOST: '0.0.0.0', PORT: '80' }, 'http://localhost:80'],
  [{ HOST: '::' }, 'http://localhost:3000'],
  [{ HOST: '::1' }, 'http://[::1]:3000'],
  [{ TRIBUTARY_BASE_URL: 'https://a.example' }, 'https://a.example'],
])('%j is reached at %s', (env, expected) => expect(baseUrl(readSettings(env))).toBe(expected))
