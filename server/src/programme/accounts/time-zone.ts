import { renamedZones } from '@tributary/contract/dashboard/time-zones'
import type { Db } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import { canonicalZone } from '../../kit/time-zone.ts'
import { isKnownZone } from './account.store.ts'

/**
 * The name to store for a time zone: the current one, since the PostgreSQL of a current system may lack the older names that browsers
 * report. Refuses what is no IANA name, or what this PostgreSQL does not have: its days are computed there, so an account in such a
 * zone would have no reports.
 */
export async function storedTimeZone(db: Db, name: string): Promise<string> {
  if (canonicalZone(name) === undefined)
    throw invalid('time_zone', 'must be an IANA time zone such as Europe/Berlin, or UTC')
  for (const zone of [renamedZones[name] ?? name, name]) if (await isKnownZone(db, zone)) return zone
  throw invalid('time_zone', `${name} is not a time zone that PostgreSQL knows here; choose another one`)
}
