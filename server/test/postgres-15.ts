import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { programOptions, runProgram } from '../src/db/embedded/run-program.ts'
import { chooseServerUser } from '../src/db/embedded/unprivileged-user.ts'
import { createTemplate, type TestServer } from './template-database.ts'

const BIN = '/usr/lib/postgresql/15/bin'

async function connectWhenReady(admin: TestServer['admin']): Promise<pg.Client> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client(admin)
    try {
      await client.connect()
      return client
    } catch (error) {
      if (attempt === 100) throw error
      await sleep(100)
    }
  }
}

/** The oldest PostgreSQL we promise to run on, as the operator's own server would be: roles made by hand. */
export default async function setup(project: TestProject) {
  const home = await mkdtemp(join(tmpdir(), 'tributary-pg15-'))
  const data = join(home, 'data')
  const user = await chooseServerUser(data)
  if (user) await chown(home, user.uid, user.gid)
  const made = await runProgram(
    join(BIN, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
    {
      user,
    },
  )
  if (!made.succeeded) throw new Error(made.output)
  const server = spawn(
    join(BIN, 'postgres'),
    [
      '-D',
      data,
      '-c',
      'listen_addresses=',
      '-c',
      `unix_socket_directories=${home}`,
      '-c',
      'max_connections=200',
    ],
    { ...programOptions(user), stdio: 'ignore' },
  )
  const at = (name: string) => ({ host: home, port: 5432, database: 'postgres', user: name, password: '' })
  const postgres = { admin: at('postgres'), owner: at('tributary_owner'), service: at('tributary_service') }
  const client = await connectWhenReady(postgres.admin)
  await client.query('CREATE ROLE tributary_owner LOGIN; CREATE ROLE tributary_service LOGIN')
  await client.end()
  await createTemplate(postgres)
  project.provide('postgres', postgres)
  return async () => {
    const gone = once(server, 'exit')
    server.kill('SIGINT')
    await gone
    await rm(home, { recursive: true })
  }
}
