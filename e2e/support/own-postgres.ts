import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { nobody } from './nobody.ts'
import { temporaryDirectory } from './temporary.ts'
import { until } from './until.ts'

/** Debian's path of PostgreSQL 15, the oldest supported major version. */
export const BIN = '/usr/lib/postgresql/15/bin'

// PostgreSQL refuses to run as root.
const as = () => (process.getuid?.() === 0 ? nobody() : {})

/** An operator's own PostgreSQL, on a loopback port, with manually created roles. */
export class OwnPostgres {
  readonly port: number
  readonly #home: string
  readonly #settings: string[]
  #server: ChildProcess | undefined

  private constructor(home: string, port: number, settings: string[]) {
    this.#home = home
    this.#settings = settings
    this.port = port
  }

  /** The caller stops it. Settings such as `wal_level=logical` are added to ours. */
  static async create(...more: string[]): Promise<OwnPostgres> {
    const home = await temporaryDirectory(0o700)
    const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, ...as() }
    chownSync(home, uid, gid)
    const args = [
      '-D',
      join(home, 'data'),
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    ]
    const made = spawnSync(join(BIN, 'initdb'), args, { ...as(), cwd: '/', encoding: 'utf8' })
    if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
    const server = new OwnPostgres(home, await freePort(), more)
    await server.start()
    return server
  }

  /** Does nothing if it is running. */
  async start(): Promise<void> {
    if (this.#server && this.#server.exitCode === null) return
    const settings = [
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${this.#home}`,
      'fsync=on',
      ...this.#settings,
    ]
    this.#server = spawn(
      join(BIN, 'postgres'),
      ['-D', join(this.#home, 'data'), '-p', String(this.port), ...settings.flatMap(one => ['-c', one])],
      { ...as(), cwd: '/', stdio: 'ignore' },
    )
    await until('PostgreSQL 15 is ready', () =>
      this.query('postgres', 'SELECT 1').then(
        () => true,
        () => false,
      ),
    )
  }

  /** A fast shutdown: open sessions are terminated. */
  async stop(): Promise<void> {
    if (!this.#server || this.#server.exitCode !== null) return
    const gone = once(this.#server, 'exit')
    this.#server.kill('SIGINT')
    await gone
  }

  url(user: string, database: string): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test reads the columns it selected.
  async query(database: string, statement: string, user = 'postgres'): Promise<any[]> {
    const client = new pg.Client(this.url(user, database))
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
  }
}
