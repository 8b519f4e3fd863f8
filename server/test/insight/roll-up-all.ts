import { expect } from 'vitest'
import { FACTS_VERSION } from '../../src/insight/insight.store.ts'
import { rollUp } from '../../src/insight/roll-up.ts'
import type { Scene } from '../harness.ts'

/** Until every day is closed and computed. Another test's transaction may keep days open for a while: the server is shared. */
export const rollUpAll = (
  { database, account }: Pick<Scene, 'database' | 'account'>,
  retentionDays: number,
) =>
  expect
    .poll(
      async () => {
        await rollUp(database.db, retentionDays)
        const { rows } = await database.owner.query(
          `SELECT s.closed_until >= ((now() - interval '1 hour') AT TIME ZONE s.time_zone)::date - 1 AS closed,
                  (SELECT max(t.until) FROM insight_total_days t WHERE t.account_id = $1) >= s.closed_until AS totals,
                  (SELECT count(*)::integer FROM insight_marks m WHERE m.account_id = $1) AS marks,
                  s.facts_version >= $2 AS current
             FROM insight_accounts s JOIN accounts a ON a.id = s.account_id AND a.time_zone = s.time_zone WHERE s.account_id = $1`,
          [account.id, FACTS_VERSION],
        )
        return rows[0]
      },
      { timeout: 60_000 },
    )
    .toEqual({ closed: true, totals: true, marks: 0, current: true })
