import type { ConnectionSettings } from '@tributary/embedded-postgres'
import pg from 'pg'
import { migrate } from '../src/db/migrate.ts'

export const TEMPLATE = 'tributary_template'

/** How a test reaches the server: as superuser to make databases, and as the two roles the program uses. */
export interface TestServer {
  admin: ConnectionSettings
  owner: ConnectionSettings
  service: ConnectionSettings
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestServer
  }
}

/** Migrates once; every test file then copies the result, which takes a few milliseconds. */
export async function createTemplate({ admin, owner, service }: TestServer): Promise<void> {
  const client = new pg.Client(admin)
  await client.connect()
  await client.query(`CREATE DATABASE ${TEMPLATE} OWNER ${owner.user}`)
  await client.end()
  await migrate({ ...owner, database: TEMPLATE }, service.user)
  await tellIdsApart({ ...owner, database: TEMPLATE })
}

/** Where the first account has the first key, a test doesn't notice that one's ID is taken for the other's. */
async function tellIdsApart(owner: ConnectionSettings): Promise<void> {
  const client = new pg.Client(owner)
  await client.connect()
  await client.query('ALTER SEQUENCE api_keys_id_seq RESTART 5001')
  await client.end()
}
