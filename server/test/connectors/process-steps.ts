/** Processes the billing events that are due, in a process that a test can kill. */
import pino from 'pino'
import { processNextEvent } from '../../src/connectors/process-events.ts'
import { Database } from '../../src/db/database.ts'

const db = new Database(JSON.parse(process.env.CONNECTION as string), error => {
  throw error
})
while (await processNextEvent(db, pino({ level: 'fatal' }), Buffer.alloc(32)));
await db.close()
