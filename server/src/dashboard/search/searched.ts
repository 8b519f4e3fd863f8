import type { Services } from '../../db/services.ts'
import { referralsOfEmail } from '../../earning/tracking/record-lead.ts'

/** The text of a list's search, and the referrals that it belongs to as a complete email. */
export interface Searched {
  text: string
  ofEmail: number[]
}

/** Of each kind: more than a search that means something finds, and few enough to look up by index. */
export const MOST_MATCHES = 500
/** One more tells that others are left out. */
export const MATCHES_LOOKED_UP = MOST_MATCHES + 1
export const isBeyondMost = (...found: { length: number }[]): boolean =>
  found.some(({ length }) => length > MOST_MATCHES)

export async function searchedIn(
  services: Pick<Services, 'db' | 'secrets'>,
  accountId: number,
  q: string | undefined,
): Promise<Searched | undefined> {
  const text = q?.trim()
  return text ? { text, ofEmail: await referralsOfEmail(services, accountId, text) } : undefined
}
