import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/** Speaks to the running embedded database as the owner of the tables: for damage that the program itself cannot do. */
export async function asOwner(dataDir: string, ...statements: string[]): Promise<void> {
  const { owner } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as { owner: string }
  const client = new pg.Client({
    host: join(realpathSync(join(dataDir, 'postgres')), 'socket'),
    user: 'tributary_owner',
    password: owner,
    database: 'tributary',
  })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
