import { isOneLine, ONE_LINE_PROBLEM } from '@tributary/contract/one-line'
import type { Db } from '../../db/database.ts'
import { invalid, notFound } from '../../kit/domain-error.ts'
import { isCurrency } from '../../kit/money.ts'
import { isWebAddress } from '../../kit/web-address.ts'
import { type AccountRow, lockAccount, saveAccount } from './account.store.ts'
import { storedTimeZone } from './time-zone.ts'

export interface AccountChanges {
  name?: string | undefined
  time_zone?: string | undefined
  site_url?: string | null | undefined
  reporting_currency?: string | null | undefined
}

/** Changes what is given and returns the account before and after. */
export async function updateAccount(
  db: Db,
  accountId: number,
  { name, time_zone, site_url, reporting_currency }: AccountChanges,
): Promise<{ before: AccountRow; saved: AccountRow }> {
  if (name !== undefined) assertName(name)
  if (typeof site_url === 'string' && !isWebAddress(site_url))
    throw invalid('site_url', 'must be an absolute http or https URL of at most 2048 characters')
  if (typeof reporting_currency === 'string' && !isCurrency(reporting_currency))
    throw invalid('reporting_currency', 'must be an ISO 4217 code such as EUR')
  // As a browser writes it: a redirect's header has no room for other characters than ASCII.
  const site = site_url && new URL(site_url).href
  const zone = time_zone === undefined ? undefined : await storedTimeZone(db, time_zone)
  return db.transaction(async tx => {
    // Locked before it is read, so that of two changes at once neither undoes the other, and each logs the state it replaced.
    const before = await lockAccount(tx, accountId)
    if (!before) throw notFound('account')
    const saved = {
      ...before,
      name: name ?? before.name,
      time_zone: zone ?? before.time_zone,
      site_url: site === undefined ? before.site_url : site,
      reporting_currency: reporting_currency === undefined ? before.reporting_currency : reporting_currency,
    }
    await saveAccount(tx, saved)
    return { before, saved }
  })
}

export function assertName(name: string): void {
  if (name.length < 1 || name.length > 255) throw invalid('name', 'must have 1 to 255 characters')
  if (!isOneLine(name)) throw invalid('name', ONE_LINE_PROBLEM)
}
