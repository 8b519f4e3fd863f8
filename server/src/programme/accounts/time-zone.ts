import type { Db } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import { canonicalZone } from '../../kit/time-zone.ts'
import { isKnownZone } from './account.store.ts'

/**
 * Refuses a time zone that is no IANA name, or that this PostgreSQL does not have: its days are computed there, so an account in such
 * a zone would have no reports.
 */
export async function validTimeZone(db: Db, name: string): Promise<void> {
  if (canonicalZone(name) === undefined)
    throw invalid('time_zone', 'must be an IANA time zone such as Europe/Berlin, or UTC')
  if (!(await isKnownZone(db, name)))
    throw invalid('time_zone', `${name} is not a time zone that PostgreSQL knows here; choose another one`)
}
