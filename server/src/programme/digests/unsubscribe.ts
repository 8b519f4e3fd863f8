import { createHmac, timingSafeEqual } from 'node:crypto'
import type { DigestKind } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { recordChange } from '../audit/record-change.ts'
import { saveSubscription } from './subscriber.store.ts'

/** Who a link unsubscribes from which digest. */
export interface Subscription {
  accountId: number
  kind: DigestKind
  id: number
}

/**
 * The secret of an unsubscribe link: a MAC, so that nothing is stored for it and it works in an old email too. As long as the tokens of
 * other links, which are erased from emails that were sent.
 */
export const unsubscribeKey = (secrets: SecretBox, { accountId, kind, id }: Subscription): string =>
  createHmac('sha256', secrets.key('unsubscribe link'))
    .update(`${kind}:${accountId}:${id}`)
    .digest('base64url')

export function isUnsubscribeKey(secrets: SecretBox, subscription: Subscription, key: string): boolean {
  const [given, right] = [Buffer.from(key), Buffer.from(unsubscribeKey(secrets, subscription))]
  return given.length === right.length && timingSafeEqual(given, right)
}

/** Unsubscribes the person of a valid link. Repeating it changes nothing. */
export function unsubscribe(db: Db, { accountId, kind, id }: Subscription, address: string): Promise<void> {
  return db.transaction(async tx => {
    const changed = await saveSubscription(tx, accountId, { kind, id, isSubscribed: false })
    if (!changed) return
    const actor = { kind: kind === 'team' ? 'user' : 'affiliate', id, name: changed.email, address } as const
    const action = kind === 'team' ? 'digest.subscribe' : 'portal.subscribe_to_digest'
    await recordChange(tx, accountId, actor, { action, subjectId: id, details: { is_subscribed: false } })
  })
}
