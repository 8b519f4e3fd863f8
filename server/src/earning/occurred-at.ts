import { currentTime } from '../db/current-time.ts'
import type { Tx } from '../db/database.ts'
import { invalid } from '../kit/domain-error.ts'

/** No business was reported before computers, and the longest hold after the last year must not pass the year 9999. */
const [FIRST_YEAR, LAST_YEAR] = [1970, 9900]

/** When something that is reported happened: as the report says, or now by the clock of the database. */
export const occurredAt = async (tx: Tx, reported: string | undefined): Promise<string> =>
  reportedTime(reported) ?? currentTime(tx)

/** The time that a report names, if it names one. */
export function reportedTime(reported: string | undefined): string | undefined {
  if (reported === undefined) return undefined
  const moment = new Date(reported)
  const year = moment.getUTCFullYear()
  if (year < FIRST_YEAR || year > LAST_YEAR)
    throw invalid('occurred_at', `must lie between the years ${FIRST_YEAR} and ${LAST_YEAR}`)
  return moment.toISOString()
}
