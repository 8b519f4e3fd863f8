import { type Sql, sql } from '../../db/sql.ts'

/**
 * Whether an entry records money that left or came back, instead of money that was earned: a payout, or the correction of one that was
 * returned, or paid after all. Together they sum to what was paid out.
 */
export const isPaidOut = (entry: Sql): Sql =>
  sql`(${entry}.entry_type = 'payout' OR ${entry}.payout_item_id IS NOT NULL)`
