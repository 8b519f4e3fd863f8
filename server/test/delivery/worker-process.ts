import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ConnectionSettings } from '@tributary/embedded-postgres'
import { projectRoot } from '../../src/paths.ts'
import { TEST_SECRET_KEY } from '../harness.ts'

/** A connection as an operator would write it, socket directories included. */
export function databaseUrl({ user, password, host, port, database }: ConnectionSettings): string {
  const name = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`
  return `postgres://${name}@${encodeURIComponent(host)}:${port}/${database}`
}

export interface WorkerProcess {
  child: ChildProcess
  /** Everything it wrote, to either side. */
  output: string[]
  /** Resolves once it works; rejects where it ends before. */
  running: Promise<void>
  /** Resolves once it is gone. */
  gone: Promise<unknown>
}

/** The program itself, as `tributary worker`, on a database. */
export function spawnWorker(service: string, owner: string): WorkerProcess {
  const child = spawn(process.execPath, [join(projectRoot, 'server/bin/tributary.js'), 'worker'], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      DATABASE_URL: service,
      TRIBUTARY_MIGRATION_DATABASE_URL: owner,
      TRIBUTARY_SECRET_KEY: TEST_SECRET_KEY,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  const gone = once(child, 'exit')
  const running = new Promise<void>((resolve, reject) => {
    const read = (line: string) => {
      output.push(line)
      if (line.includes('worker started')) resolve()
    }
    createInterface(child.stdout).on('line', read)
    createInterface(child.stderr).on('line', read)
    void gone.then(() => reject(new Error(`The worker ended:\n${output.slice(-20).join('\n')}`)))
  })
  running.catch(() => undefined)
  return { child, output, running, gone }
}
