import pg from 'pg'
import { inject } from 'vitest'

/** Runs something as the superuser, who may see and end the connections of others. */
export async function asAdmin<T extends pg.QueryResultRow>(
  text: string,
  values: unknown[] = [],
): Promise<T[]> {
  const admin = new pg.Client(inject('postgres').admin)
  await admin.connect()
  const { rows } = await admin.query<T>(text, values)
  await admin.end()
  return rows
}
