import type { Db } from '../db/database.ts'
import { withdrawMails } from '../mail/mail.store.ts'
import { findWaitingDigests, type WaitingDigest } from '../programme/digests/digest.store.ts'
import { stillSubscribed } from '../programme/digests/subscriber.store.ts'
import { LATEST_DAYS } from './period.ts'

/**
 * Gives up digests that wait to be sent to someone who no longer gets them: it was turned off, or they unsubscribed, left the team or were
 * rejected. And those that are no news any more, because the server took no email for days.
 */
export async function withdrawDigests(db: Db): Promise<void> {
  const waiting = await findWaitingDigests(db, LATEST_DAYS)
  const unwanted = waiting.filter(({ is_over }) => is_over)
  for (const group of groupsOf(waiting.filter(({ is_over }) => !is_over))) {
    const { account_id, kind } = group[0] as WaitingDigest
    const emails = group.map(({ to_address }) => to_address)
    const still = await stillSubscribed(db, account_id, kind, emails)
    unwanted.push(...group.filter(({ to_address }) => !still.has(to_address)))
  }
  const ids = unwanted.map(({ id }) => id)
  await withdrawMails(db, ids, 'Not sent: the recipient no longer gets this digest, or it is too old.')
}

/** By account and kind. */
function groupsOf(digests: WaitingDigest[]): WaitingDigest[][] {
  const groups = new Map<string, WaitingDigest[]>()
  for (const digest of digests) {
    const name = `${digest.account_id} ${digest.kind}`
    groups.set(name, [...(groups.get(name) ?? []), digest])
  }
  return [...groups.values()]
}
