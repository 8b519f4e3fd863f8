import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { nobody } from './nobody.ts'
import type { OwnPostgres } from './own-postgres.ts'
import { temporaryDirectory } from './temporary.ts'
import { until } from './until.ts'

const BINARY = '/usr/sbin/pgbouncer'

/** Known at test definition time, so that a file can define other tests without it. */
export const hasPgBouncer = existsSync(BINARY)

// Like PostgreSQL, it refuses to run as root.
const as = () => (process.getuid?.() === 0 ? nobody() : {})

/** Debian's PgBouncer in transaction mode in front of a PostgreSQL. */
export class PgBouncer {
  readonly port: number
  readonly #process: ChildProcess

  private constructor(port: number, process: ChildProcess) {
    this.port = port
    this.#process = process
  }

  /** The caller stops it. */
  static async start(
    postgres: OwnPostgres,
    roles: string[],
    settings: Record<string, number>,
  ): Promise<PgBouncer> {
    const home = await temporaryDirectory(0o700)
    const port = await freePort()
    const lines = [
      '[databases]',
      `* = host=127.0.0.1 port=${postgres.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'pool_mode = transaction',
      ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
      'auth_type = trust',
      `auth_file = ${join(home, 'roles.txt')}`,
      'stats_users = postgres',
      // By default it waits 15 s before it reconnects to an unreachable PostgreSQL.
      'server_login_retry = 1',
      'tcp_user_timeout = 5000',
    ]
    writeFileSync(join(home, 'pgbouncer.ini'), `${lines.join('\n')}\n`)
    writeFileSync(join(home, 'roles.txt'), ['postgres', ...roles].map(role => `"${role}" ""\n`).join(''))
    const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, ...as() }
    for (const name of ['', 'pgbouncer.ini', 'roles.txt']) chownSync(join(home, name), uid, gid)
    const child = spawn(BINARY, ['-q', join(home, 'pgbouncer.ini')], { ...as(), cwd: '/', stdio: 'ignore' })
    const bouncer = new PgBouncer(port, child)
    await until('PgBouncer is ready', () =>
      bouncer.show('VERSION').then(
        () => true,
        () => false,
      ),
    )
    return bouncer
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return
    const gone = once(this.#process, 'exit')
    this.#process.kill('SIGTERM')
    await gone
  }

  url(user: string, database: string): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`
  }

  /** Runs a SHOW command, such as POOLS or STATS. */
  async show(what: string): Promise<Record<string, string>[]> {
    const client = new pg.Client(this.url('postgres', 'pgbouncer'))
    await client.connect()
    try {
      return (await client.query(`SHOW ${what}`)).rows
    } finally {
      await client.end()
    }
  }
}
