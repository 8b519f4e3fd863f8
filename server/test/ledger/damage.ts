import type { TestDatabase } from '../harness.ts'

/** Writes as no program of ours can any more. */
export async function writeDamage({ owner }: TestDatabase, text: string, values: unknown[]): Promise<void> {
  const client = await owner.connect()
  try {
    await client.query('BEGIN')
    await client.query('ALTER TABLE commissions DISABLE TRIGGER USER')
    await client.query(text, values)
    await client.query('ALTER TABLE commissions ENABLE TRIGGER USER')
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}
