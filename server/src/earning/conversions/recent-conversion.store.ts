import { sql } from '../../db/sql.ts'

const RECENT_DAYS = 30

/** Whether the conversion aliased `v` is recent. The overview counts with it, and the list behind the count is filtered by it. */
export const isRecentConversion = sql`v.occurred_at > now() - make_interval(days => ${RECENT_DAYS})`
