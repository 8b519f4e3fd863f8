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

/** A directory of the user that PostgreSQL runs under. */
async function directory(): Promise<string> {
  const home = await temporaryDirectory(0o700)
  const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, ...as() }
  chownSync(home, uid, gid)
  return home
}

function run(program: string, args: string[]): void {
  const { status, stderr } = spawnSync(join(BIN, program), args, { ...as(), cwd: '/', encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
}

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
    const home = await directory()
    run('initdb', [
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
    ])
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

  /** A copy that follows it and confirms every commit before it is acknowledged. The caller stops it. */
  async standby(): Promise<OwnPostgres> {
    const home = await directory()
    const source = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres', '-c', 'fast']
    run('pg_basebackup', [...source, '-D', join(home, 'data'), '--write-recovery-conf', '--no-sync'])
    const standby = new OwnPostgres(home, await freePort(), this.#settings)
    await standby.start()
    await this.query('postgres', `ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await this.query('postgres', 'SELECT pg_reload_conf()')
    await until('the standby confirms', async () => {
      const [row] = await this.query('postgres', 'SELECT sync_state FROM pg_stat_replication')
      return row?.sync_state === 'sync'
    })
    return standby
  }

  /** A standby becomes the primary. */
  async promote(): Promise<void> {
    await this.query('postgres', 'SELECT pg_promote()')
  }

  /** A fast shutdown: open sessions are terminated. */
  stop(): Promise<void> {
    return this.#end('SIGINT')
  }

  /** An immediate shutdown, as by a crash: nothing is written down that wasn't before. */
  crash(): Promise<void> {
    return this.#end('SIGQUIT')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.#server || this.#server.exitCode !== null) return
    const gone = once(this.#server, 'exit')
    this.#server.kill(signal)
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
