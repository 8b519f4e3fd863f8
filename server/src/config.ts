import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { AddressRanges, isAddressRange } from './kit/address-ranges.ts'
import { DEFAULT_LARGEST_MINOR } from './kit/largest-amount.ts'
import { parseUrl } from './kit/url.ts'
import { projectRoot } from './paths.ts'

interface Setting<T> {
  meaning: string
  /** Shown in the documentation; the value itself where it does not depend on anything. */
  default: string
  /** Returns the value, or throws a TypeError that says what is expected. An unset setting arrives as undefined. */
  read: (text: string | undefined) => T
}

const expected = (what: string) => new TypeError(`must be ${what}`)

const integer = (fallback: number, least: number, most: number) => (text: string | undefined) => {
  if (text === undefined) return fallback
  if (!/^\d{1,9}$/.test(text) || Number(text) < least || Number(text) > most)
    throw expected(`a whole number from ${least} to ${most}`)
  return Number(text)
}

/** The same, for amounts: what they may be is more than nine digits. */
const amount = (fallback: number) => (text: string | undefined) => {
  if (text === undefined) return fallback
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw expected(`a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`)
  return Number(text)
}

const choice =
  <const T extends readonly string[]>(fallback: T[number], ...values: T) =>
  (text: string | undefined): T[number] => {
    if (text === undefined) return fallback
    if (!values.includes(text)) throw expected(`one of ${values.join(', ')}`)
    return text
  }

function url(text: string | undefined, protocols: string[]): URL | undefined {
  if (text === undefined) return undefined
  const parsed = parseUrl(text)
  if (!parsed || !protocols.includes(parsed.protocol))
    throw expected(
      `an absolute URL that begins with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`,
    )
  return parsed
}

function trustProxy(text: string | undefined): boolean | number | string[] {
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  if (/^\d{1,2}$/.test(text)) return Number(text)
  const addresses = text.split(',').map(part => part.trim())
  if (!addresses.every(isAddressRange))
    throw expected('true, false, a number of proxies, or their addresses separated by commas')
  return addresses
}

/** Address ranges as a list that can be asked; undefined where none were given. */
function cidrs(text: string | undefined): AddressRanges | undefined {
  if (text === undefined) return undefined
  const ranges = text.split(',').map(part => part.trim())
  if (!ranges.every(isAddressRange)) throw expected('address ranges such as 10.0.0.0/8, separated by commas')
  return new AddressRanges(...ranges)
}

function secretKey(text: string | undefined): string | undefined {
  if (text !== undefined && text.length < 32) throw expected('at least 32 characters of randomness')
  return text
}

/** With more, not even three connections for each would fit into the embedded PostgreSQL. */
export const MOST_PROCESSES = 32

const define = <T>(setting: Setting<T>) => setting

/** Every setting of the program. */
export const settings = {
  PORT: define({ meaning: 'TCP port of the service', default: '3000', read: integer(3000, 0, 65535) }),
  TRIBUTARY_PROCESSES: define({
    meaning: 'How many processes of `serve` answer requests, all on one port; about one for each core',
    default: '1',
    read: integer(1, 1, MOST_PROCESSES),
  }),
  HOST: define({ meaning: 'Address to listen on', default: '127.0.0.1', read: text => text ?? '127.0.0.1' }),
  DATABASE_URL: define({
    meaning: 'Your own PostgreSQL (15 or later) instead of the embedded one',
    default: 'embedded PostgreSQL in TRIBUTARY_DATA_DIR',
    read: text => url(text, ['postgres:', 'postgresql:'])?.href,
  }),
  TRIBUTARY_MIGRATION_DATABASE_URL: define({
    meaning:
      'The same database as its owner, for migrations, where DATABASE_URL names a role with fewer rights',
    default: 'DATABASE_URL',
    read: text => url(text, ['postgres:', 'postgresql:'])?.href,
  }),
  TRIBUTARY_DATABASE_POOLER: define({
    meaning:
      'What stands between us and PostgreSQL: none, or a pooler in transaction mode, such as PgBouncer, where a connection is ours for a transaction only',
    default: 'none',
    read: choice('none', 'none', 'transaction'),
  }),
  NODE_ENV: define({
    meaning: 'In production webhooks may not go to private addresses',
    default: 'development',
    read: choice('development', 'development', 'test', 'production'),
  }),
  LOG_LEVEL: define({
    meaning: 'debug also logs every request',
    default: 'info',
    read: choice('info', 'fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  }),
  TRIBUTARY_BASE_URL: define({
    meaning: 'Where the outside world reaches the service; links are made from it',
    default: 'http://HOST:PORT',
    read: text => url(text, ['https:', 'http:'])?.href.replace(/\/+$/, ''),
  }),
  TRIBUTARY_DATA_DIR: define({
    meaning: 'Where the embedded database and the generated secret key live',
    default: './data',
    read: text => (text === undefined ? join(projectRoot, 'data') : resolve(text)),
  }),
  TRIBUTARY_SECRET_KEY: define({
    meaning:
      'Encrypts webhook secrets, rail credentials and stored answers; no backup can be restored without it',
    default: 'generated into TRIBUTARY_DATA_DIR/secret.key',
    read: secretKey,
  }),
  TRIBUTARY_RATE_LIMIT_PER_MINUTE: define({
    meaning: 'Requests that one API key may make in any 60 seconds',
    default: '300',
    read: integer(300, 1, 100_000_000),
  }),
  TRIBUTARY_EXPORTS_AT_ONCE: define({
    meaning:
      'Files (CSV, PDF) that a process sends at once, each on a database connection of its own: half of them to one person, half to affiliates, all but one to one account',
    default: '4',
    read: integer(4, 1, 32),
  }),
  TRIBUTARY_EXPORT_STALL_SECONDS: define({
    meaning: 'A file whose reader has taken nothing for this long is closed',
    default: '30',
    read: integer(30, 1, 600),
  }),
  TRIBUTARY_TRUST_PROXY: define({
    meaning: 'Whose X-Forwarded-For to believe: true, a number of proxies, or their addresses',
    default: 'false',
    read: trustProxy,
  }),
  TRIBUTARY_DRAIN_DELAY_SECONDS: define({
    meaning:
      'How long the service goes on serving once it is asked to stop, with /readyz at 503; longer than a load balancer takes to notice',
    default: '0',
    read: integer(0, 0, 300),
  }),
  TRIBUTARY_WORKER_PORT: define({
    meaning: 'TCP port on which a worker answers /healthz, /readyz and /metrics',
    default: 'none',
    read: text => (text === undefined ? undefined : integer(0, 0, 65535)(text)),
  }),
  TRIBUTARY_OPERATOR_PORT: define({
    meaning:
      'TCP port on which `serve` answers /healthz, /readyz and /metrics instead of on PORT, for all of its processes',
    default: 'none: they are on PORT',
    read: text => (text === undefined ? undefined : integer(0, 0, 65535)(text)),
  }),
  TRIBUTARY_OPERATOR_HOST: define({
    meaning: 'Address to listen on for TRIBUTARY_OPERATOR_PORT',
    default: '127.0.0.1',
    read: text => text ?? '127.0.0.1',
  }),
  TRIBUTARY_HSTS_SECONDS: define({
    meaning: 'Strict-Transport-Security: how long browsers stay with https; sent where the base URL is https',
    default: '0: not sent',
    read: integer(0, 0, 100_000_000),
  }),
  TRIBUTARY_MAX_CONNECTIONS: define({
    meaning: 'Connections that one process accepts at the same time; more are closed at once',
    default: '10000',
    read: integer(10_000, 1, 1_000_000),
  }),
  TRIBUTARY_CLICK_RETENTION_DAYS: define({
    meaning:
      'For how long clicks are kept, in whole months beyond it; longer than any attribution window in use',
    default: '400',
    read: integer(400, 30, 10_000),
  }),
  TRIBUTARY_MAX_AMOUNT_MINOR: define({
    meaning:
      'The largest sale, refund, adjustment, fixed commission or minimum payout, in minor units of its currency; more is refused',
    default: String(DEFAULT_LARGEST_MINOR),
    read: amount(DEFAULT_LARGEST_MINOR),
  }),
  TRIBUTARY_FX_URL: define({
    meaning: 'Where to fetch rates of exchange once a day, in the format of the ECB’s daily XML file',
    default: 'nowhere: rates are set by hand',
    read: text => url(text, ['https:', 'http:'])?.href,
  }),
  TRIBUTARY_PAYPAL_URL: define({
    meaning: 'Where PayPal’s API is; called only for accounts that were given PayPal credentials',
    default: 'https://api-m.paypal.com',
    read: text => (url(text, ['https:', 'http:'])?.href ?? 'https://api-m.paypal.com').replace(/\/+$/, ''),
  }),
  TRIBUTARY_SMTP_URL: define({
    meaning:
      'The mail server, such as smtp://user:password@mail.example.com:587; smtps:// for TLS from the start',
    default: 'none: mails are kept and shown in the dashboard',
    read: text => url(text, ['smtp:', 'smtps:'])?.href,
  }),
  TRIBUTARY_MAIL_FROM: define({
    meaning: 'Whom mails come from',
    default: 'Tributary <no-reply@localhost>',
    read: text => text ?? 'Tributary <no-reply@localhost>',
  }),
  TRIBUTARY_MAX_WEBHOOK_ENDPOINTS: define({
    meaning: 'How many webhook endpoints an account may have, disabled ones included',
    default: '50',
    read: integer(50, 1, 100_000),
  }),
  TRIBUTARY_WEBHOOK_ALLOW_CIDRS: define({
    meaning: 'Private address ranges that webhooks may go to in production',
    default: 'none',
    read: cidrs,
  }),
}

export type Settings = { [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['read']> }

export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** A value, or what stands in the file that `<name>_FILE` names: that is how secrets reach containers. */
function given(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const path = env[`${name}_FILE`]
  if (env[name] || !path) return env[name] || undefined
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch (error) {
    throw new TypeError(`must be in a readable file (${name}_FILE): ${(error as Error).message}`)
  }
}

/** Reads all settings at once and reports everything that is wrong with them. An empty value counts as unset. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const problems: string[] = []
  const values = Object.entries(settings).map(([name, { read }]) => {
    try {
      return [name, read(given(env, name))]
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      problems.push(`${name} ${error.message}`)
      return [name, undefined]
    }
  })
  if (problems.length > 0) throw new SettingsError(`Invalid settings:\n  ${problems.join('\n  ')}`)
  return Object.fromEntries(values) as Settings
}

/** Names that look like settings and are none: most likely a slip of the pen, so the program says so when it starts. */
export const unknownSettings = (env: NodeJS.ProcessEnv) =>
  Object.keys(env).filter(
    name => name.startsWith('TRIBUTARY_') && !(name in settings) && !(name.replace(/_FILE$/, '') in settings),
  )

/** The address the outside world uses, where the operator gave none. */
export const baseUrl = (values: Settings, port = values.PORT) => {
  const host = ['0.0.0.0', '::'].includes(values.HOST) ? 'localhost' : values.HOST
  return values.TRIBUTARY_BASE_URL ?? `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
