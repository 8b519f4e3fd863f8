import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/** Runs statements on the embedded database as the owner of the tables, for damage that the service role is not permitted to do. */
export async function asOwner(dataDir: string, ...statements: string[]): Promise<void> {
  await withOwner(dataDir, async client => {
    for (const statement of statements) await client.query(statement)
  })
}

/** All rows of all tables as text, to check that secrets are not stored in plain text. */
export function everyRow(dataDir: string): Promise<string> {
  return withOwner(dataDir, async client => {
    const tables = await client.query(
      `SELECT quote_ident(relname) AS name FROM pg_class
        WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`,
    )
    const texts: string[] = []
    for (const { name } of tables.rows)
      texts.push(...(await client.query(`SELECT t::text AS row FROM ${name} t`)).rows.map(({ row }) => row))
    return texts.join('\n')
  })
}

/** Runs `work` on a connection as the owner. */
export async function withOwner<T>(dataDir: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { owner } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as { owner: string }
  const client = new pg.Client({
    host: join(realpathSync(join(dataDir, 'postgres')), 'socket'),
    user: 'tributary_owner',
    password: owner,
    database: 'tributary',
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
