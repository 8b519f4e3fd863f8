import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { AddressRanges, isAddressRange } from './kit/address-ranges.ts'
import { DEFAULT_LARGEST_MINOR } from './kit/largest-amount.ts'
import { parseUrl } from './kit/url.ts'
import { projectRoot } from './paths.ts'

interface Setting<T> {
  meaning: string
  /** For the documentation; the value itself unless it depends on another setting. */
  default: string
  /** Returns the value, or throws a TypeError with what is expected. `text` is undefined where the setting is unset. */
  read: (text: string | undefined) => T
}

const expected = (what: string) => new TypeError(`must be ${what}`)

const integer = (fallback: number, least: number, most: number) => (text: string | undefined) => {
  if (text === undefined) return fallback
  if (!/^\d{1,9}$/.test(text) || Number(text) < least || Number(text) > most)
    throw expected(`a whole number from ${least} to ${most}`)
  return Number(text)
}

/** Amounts in minor units, which may exceed the nine digits of `integer`. */
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

const NAMES = new Set(['application_name', 'fallback_application_name'])

/**
 * An `application_name` in the URL would take the place of ours, by which migrations find processes of older versions, and the
 * dashboard those that deliver.
 */
function databaseUrl(text: string | undefined): string | undefined {
  const parsed = url(text, ['postgres:', 'postgresql:'])
  if (!parsed) return undefined
  // The other pairs stay as they were written: written anew, a path in them is read differently beside a bare % in the password.
  const pairs = parsed.search.slice(1).split('&')
  parsed.search = pairs.filter(pair => !NAMES.has([...new URLSearchParams(pair).keys()][0] ?? '')).join('&')
  return parsed.href
}

function trustProxy(text: string | undefined): boolean | number | string[] {
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  if (/^\d{1,2}$/.test(text)) return Number(text)
  const addresses = text.split(',').map(part => part.trim())
  if (!addresses.every(isAddressRange))
    throw expected('true, false, a number of proxies, or their addresses, separated by commas')
  return addresses
}

/** Parses address ranges; undefined if the setting is unset. */
function cidrs(text: string | undefined): AddressRanges | undefined {
  if (text === undefined) return undefined
  const ranges = text.split(',').map(part => part.trim())
  if (!ranges.every(isAddressRange)) throw expected('address ranges such as 10.0.0.0/8, separated by commas')
  return new AddressRanges(...ranges)
}

/** Parses domains, in lower case; none if the setting is unset. */
function domains(text: string | undefined): string[] {
  const parts = text?.split(',').map(part => part.trim().toLowerCase()) ?? []
  if (!parts.every(part => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(part)))
    throw expected('a list of domains such as example.com, separated by commas')
  return parts
}

function secretKey(text: string | undefined): string | undefined {
  if (text !== undefined && text.length < 32) throw expected('at least 32 random characters')
  return text
}

/** More would leave fewer than three connections each on the embedded PostgreSQL. */
export const MOST_PROCESSES = 32

const define = <T>(setting: Setting<T>) => setting

/** Every setting of the program. */
export const settings = {
  PORT: define({ meaning: 'TCP port of the service', default: '3000', read: integer(3000, 0, 65535) }),
  TRIBUTARY_PROCESSES: define({
    meaning: 'Number of `serve` processes, all on one port; about one per core',
    default: '1',
    read: integer(1, 1, MOST_PROCESSES),
  }),
  HOST: define({ meaning: 'Address to listen on', default: '127.0.0.1', read: text => text ?? '127.0.0.1' }),
  DATABASE_URL: define({
    meaning: 'Your own PostgreSQL (15 or later) instead of the embedded one',
    default: 'embedded PostgreSQL in TRIBUTARY_DATA_DIR',
    read: databaseUrl,
  }),
  TRIBUTARY_MIGRATION_DATABASE_URL: define({
    meaning:
      'The same database as its owner, for migrations, if the role in DATABASE_URL has fewer privileges',
    default: 'DATABASE_URL',
    read: databaseUrl,
  }),
  TRIBUTARY_DATABASE_POOLER: define({
    meaning: 'Set to transaction if DATABASE_URL points to a pooler in transaction mode, such as PgBouncer',
    default: 'none',
    read: choice('none', 'none', 'transaction'),
  }),
  NODE_ENV: define({
    meaning: 'In production, webhooks are not sent to private addresses',
    default: 'development',
    read: choice('development', 'development', 'test', 'production'),
  }),
  LOG_LEVEL: define({
    meaning: 'Minimum level of log entries; debug also logs every request',
    default: 'info',
    read: choice('info', 'fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  }),
  TRIBUTARY_BASE_URL: define({
    meaning: 'Public URL of the service, used in links',
    default: 'http://HOST:PORT',
    read: text => url(text, ['https:', 'http:'])?.href.replace(/\/+$/, ''),
  }),
  TRIBUTARY_DATA_DIR: define({
    meaning: 'Directory of the embedded database and the generated secret key',
    default: './data',
    read: text => (text === undefined ? join(projectRoot, 'data') : resolve(text)),
  }),
  TRIBUTARY_SECRET_KEY: define({
    meaning:
      'Encrypts webhook secrets, rail credentials and stored responses; backups cannot be restored without it',
    default: 'generated into TRIBUTARY_DATA_DIR/secret.key',
    read: secretKey,
  }),
  TRIBUTARY_RATE_LIMIT_PER_MINUTE: define({
    meaning: 'Requests per API key in any 60 seconds',
    default: '300',
    read: integer(300, 1, 100_000_000),
  }),
  TRIBUTARY_EXPORTS_AT_ONCE: define({
    meaning:
      'Concurrent downloads (CSV, PDF) per process, each on its own database connection: at most half for one user, half for affiliates, all but one for one account',
    default: '4',
    read: integer(4, 1, 32),
  }),
  TRIBUTARY_EXPORT_STALL_SECONDS: define({
    meaning: 'A download is closed if the client reads nothing for this long',
    default: '30',
    read: integer(30, 1, 600),
  }),
  TRIBUTARY_TRUST_PROXY: define({
    meaning: 'Proxies whose X-Forwarded-For is trusted: true, a number of proxies, or their addresses',
    default: 'false',
    read: trustProxy,
  }),
  TRIBUTARY_DRAIN_DELAY_SECONDS: define({
    meaning:
      'How long the service keeps serving after a stop signal, with /readyz at 503; longer than a load balancer takes to notice',
    default: '0',
    read: integer(0, 0, 300),
  }),
  TRIBUTARY_WORKER_PORT: define({
    meaning: 'TCP port of /healthz, /readyz and /metrics for `worker`',
    default: 'none',
    read: text => (text === undefined ? undefined : integer(0, 0, 65535)(text)),
  }),
  TRIBUTARY_OPERATOR_PORT: define({
    meaning: 'Separate TCP port of /healthz, /readyz and /metrics for `serve`, for all of its processes',
    default: 'none: served on PORT',
    read: text => (text === undefined ? undefined : integer(0, 0, 65535)(text)),
  }),
  TRIBUTARY_OPERATOR_HOST: define({
    meaning: 'Address to listen on for TRIBUTARY_OPERATOR_PORT',
    default: '127.0.0.1',
    read: text => text ?? '127.0.0.1',
  }),
  TRIBUTARY_HSTS_SECONDS: define({
    meaning: 'max-age of Strict-Transport-Security; sent if the base URL is https',
    default: '0: not sent',
    read: integer(0, 0, 100_000_000),
  }),
  TRIBUTARY_MAX_CONNECTIONS: define({
    meaning: 'Concurrent connections per process; further ones are closed immediately',
    default: '10000',
    read: integer(10_000, 1, 1_000_000),
  }),
  TRIBUTARY_CLICK_RETENTION_DAYS: define({
    meaning:
      'How long clicks are kept, rounded up to whole months; longer than any attribution window in use',
    default: '400',
    read: integer(400, 30, 10_000),
  }),
  TRIBUTARY_GEO_DATABASE: define({
    meaning:
      "A country database in MMDB format (GeoLite2-Country or DB-IP's), to record the country of clicks; read again when it changes",
    default: 'none: clicks have no country',
    read: text => (text === undefined ? undefined : resolve(text)),
  }),
  TRIBUTARY_BILLING_EVENT_RETENTION_DAYS: define({
    meaning:
      'How long the bodies of billing events that were applied or ignored are kept; they contain personal data',
    default: '90',
    read: integer(90, 1, 10_000),
  }),
  TRIBUTARY_DISPOSABLE_EMAIL_DOMAINS: define({
    meaning:
      'Domains of disposable email addresses beside the built-in ones, separated by commas; affiliates with one raise a fraud signal',
    default: 'none',
    read: domains,
  }),
  TRIBUTARY_MAX_AMOUNT_MINOR: define({
    meaning:
      'Largest accepted sale, refund, adjustment, fixed commission or minimum payout, in minor units of its currency',
    default: String(DEFAULT_LARGEST_MINOR),
    read: amount(DEFAULT_LARGEST_MINOR),
  }),
  TRIBUTARY_FX_URL: define({
    meaning: 'URL of daily exchange rates in the format of the ECB’s XML file',
    default: 'none: rates are set manually',
    read: text => url(text, ['https:', 'http:'])?.href,
  }),
  TRIBUTARY_PAYPAL_URL: define({
    meaning: 'URL of the PayPal API; called only for accounts with PayPal credentials',
    default: 'https://api-m.paypal.com',
    read: text => (url(text, ['https:', 'http:'])?.href ?? 'https://api-m.paypal.com').replace(/\/+$/, ''),
  }),
  TRIBUTARY_SMTP_URL: define({
    meaning: 'SMTP server, such as smtp://user:password@mail.example.com:587; smtps:// for implicit TLS',
    default: 'none: emails are stored and shown in the dashboard',
    read: text => url(text, ['smtp:', 'smtps:'])?.href,
  }),
  TRIBUTARY_MAIL_FROM: define({
    meaning: 'From address of emails',
    default: 'Tributary <no-reply@localhost>',
    read: text => text ?? 'Tributary <no-reply@localhost>',
  }),
  TRIBUTARY_MAX_WEBHOOK_ENDPOINTS: define({
    meaning: 'Maximum webhook endpoints per account, disabled ones included',
    default: '50',
    read: integer(50, 1, 100_000),
  }),
  TRIBUTARY_WEBHOOK_ALLOW_CIDRS: define({
    meaning: 'Private address ranges that webhooks may be sent to in production',
    default: 'none',
    read: cidrs,
  }),
}

export type Settings = { [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['read']> }

export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** The value of a setting, or the content of the file in `<name>_FILE`, which is how containers receive secrets. */
function given(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const path = env[`${name}_FILE`]
  if (env[name] || !path) return env[name] || undefined
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch (error) {
    throw new TypeError(`must be in a readable file (${name}_FILE): ${(error as Error).message}`)
  }
}

/** Reads all settings and reports every invalid one. An empty value counts as unset. */
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

/** Environment variables that look like settings but are not: most likely typos, logged on start. */
export const unknownSettings = (env: NodeJS.ProcessEnv) =>
  Object.keys(env).filter(
    name => name.startsWith('TRIBUTARY_') && !(name in settings) && !(name.replace(/_FILE$/, '') in settings),
  )

/** The public URL: TRIBUTARY_BASE_URL, or derived from HOST and PORT. */
export const baseUrl = (values: Settings, port = values.PORT) => {
  const host = ['0.0.0.0', '::'].includes(values.HOST) ? 'localhost' : values.HOST
  return values.TRIBUTARY_BASE_URL ?? `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
