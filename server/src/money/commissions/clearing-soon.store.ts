import { type Sql, sql } from '../../db/sql.ts'
import { isReal } from '../ledger/own-money.ts'

const SOON_DAYS = 7

/** Whether the hold of the entry aliased `c` ends soon. The overview counts with it, and the list behind the count is filtered by it. */
export const clearsSoon = (accountId: number): Sql => sql`c.status = 'pending' AND c.entry_type = 'earned'
  AND c.hold_until > now() AND c.hold_until <= now() + make_interval(days => ${SOON_DAYS}) AND ${isReal(accountId)}`
