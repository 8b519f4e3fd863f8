/** Rolls up an account, in a process that a test can kill. */
import { Database } from '../../src/db/database.ts'
import { advanceOpenDay } from '../../src/insight/open-day.ts'
import { closeDays, rollUpDay } from '../../src/insight/roll-up.ts'

const db = new Database(JSON.parse(process.env.CONNECTION as string), error => {
  throw error
})
const accountId = Number(process.env.ACCOUNT)
await closeDays(db, accountId, { at: new Date().toISOString() }, { retentionDays: 400 })
while (await rollUpDay(db, accountId, 400));
await advanceOpenDay(db, accountId, new Date().toISOString())
await db.close()
