import { isIP } from 'node:net'
import type { Db } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import { parseUrl } from '../../kit/url.ts'
import { changeEmailKeeping } from '../customers/keep-emails.ts'
import { type TrackingRow, updateTracking } from './tracking-settings.store.ts'

const hasScheme = (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
/** What a developer runs has no certificate. */
const isLocal = (text: string) => /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/i.test(text)

/**
 * The scheme and host of a site, from its URL or host name. Ports are left out, because the tracker runs on all ports of a host. A
 * name without a dot would let in every site below it, such as all of `.com`.
 */
export function siteFrom(text: string): string {
  const typed = text.trim()
  const url = parseUrl(hasScheme(typed) ? typed : `${isLocal(typed) ? 'http' : 'https'}://${typed}`)
  const { protocol, hostname, username, password } = url ?? {}
  const isSite =
    /^https?:$/.test(protocol ?? '') &&
    !username &&
    !password &&
    hostname !== undefined &&
    (hostname === 'localhost' ||
      isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 ||
      /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(hostname))
  if (!isSite)
    throw invalid(
      'sites',
      `has "${typed.slice(0, 100)}", which is not a site such as https://staging.example.com`,
    )
  return `${protocol}//${hostname}`
}

/** Changes the given settings, all or nothing. The next visit follows them. */
export async function changeTracking(
  db: Db,
  accountId: number,
  { sites, keeps_customer_emails: keepsEmails, ...changes }: Partial<TrackingRow>,
): Promise<void> {
  if (keepsEmails !== undefined) await changeEmailKeeping(db, accountId, keepsEmails)
  await updateTracking(db, accountId, {
    ...changes,
    ...(sites && { sites: [...new Set(sites.map(siteFrom))] }),
  })
}
