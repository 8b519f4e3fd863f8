import { once } from 'node:events'
import { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { lookBack } from '../../src/earning/conversions/look-back.ts'
import { noEmails } from '../../src/earning/conversions/suspicions-of.ts'

// The program of a process that a test kills while it looks back. It is started in advance, and begins on a signal.
const db = new Database(JSON.parse(process.env.CONNECTION ?? ''), error => {
  throw error
})
await db.many(sql`SELECT 1`)
await once(process.stdin, 'data')
await lookBack(db, noEmails, 60_000)
