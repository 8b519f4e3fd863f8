import { currentTime } from '../db/current-time.ts'
import type { Tx } from '../db/database.ts'
import { invalid } from '../kit/domain-error.ts'

/** The upper limit leaves room for the longest hold before the year 9999. */
const [FIRST_YEAR, LAST_YEAR] = [1970, 9900]

/** Whether a time can be stored, with everything that follows from it. False for an invalid date. */
export function isReportable(moment: Date): boolean {
  const year = moment.getUTCFullYear()
  return year >= FIRST_YEAR && year <= LAST_YEAR
}

/** The reported time, or the database's current time. */
export const occurredAt = async (tx: Tx, reported: string | undefined): Promise<string> =>
  reportedTime(reported) ?? currentTime(tx)

/** The reported time, if there is one. */
export function reportedTime(reported: string | undefined): string | undefined {
  if (reported === undefined) return undefined
  const moment = new Date(reported)
  if (!isReportable(moment))
    throw invalid('occurred_at', `must be between the years ${FIRST_YEAR} and ${LAST_YEAR}`)
  return moment.toISOString()
}
