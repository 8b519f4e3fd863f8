import { sql } from '../../db/sql.ts'

/** A payout that ended badly needs attention for this long. */
const RECENT_DAYS = 30

/** Whether the payout aliased `p` ended recently. The overview counts with it, and the list behind the count is filtered by it. */
export const finishedRecently = sql`p.finished_at > now() - make_interval(days => ${RECENT_DAYS})`
