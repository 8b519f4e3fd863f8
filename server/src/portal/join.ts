import type { Db, Tx } from '../db/database.ts'
import { invalid, notFound } from '../kit/domain-error.ts'
import type { SecretBox } from '../kit/secret-box.ts'
import { LimitedLookup } from '../kit/shared-lookup.ts'
import { sha256 } from '../kit/tokens.ts'
import { recordNotices } from '../mail/notices/record-notices.ts'
import { enrol } from '../programme/affiliates/affiliate.store.ts'
import { enrolAffiliate } from '../programme/affiliates/enrol-affiliate.ts'
import { isJoinKey } from '../programme/portal-settings/join-link.ts'
import { findOpenJoins, type JoinRow, openVisibility, takeJoin } from './join.store.ts'
import { findRecipientByEmail, lockRecipientByEmail } from './notices/notice-facts.store.ts'
import { beginPortalSession } from './portal-sessions.ts'

/** Queues a sign-in link. Whether the address is known is checked later, so neither the response nor its timing discloses it. */
export const requestSignInLink = (db: Db, accountId: number, email: string): Promise<void> =>
  db.transaction(tx =>
    recordNotices(tx, accountId, [{ kind: 'sign_in_link', affiliateId: null, details: { email } }]),
  )

/**
 * Queues a confirmation email. The person becomes an affiliate once they confirm their address. A private campaign can be joined
 * only by its join link, so the request must include the link's key.
 */
export async function requestToJoin(
  { db, secrets }: { db: Db; secrets: SecretBox },
  accountId: number,
  { join_key: key, ...join }: { email: string; name?: string | null; campaign_id: number; join_key?: string },
): Promise<void> {
  const visibility = await openVisibility(db, accountId, join.campaign_id)
  const mayJoin =
    visibility === 'public' ||
    (visibility === 'private' && key !== undefined && isJoinKey(secrets, accountId, join.campaign_id, key))
  if (!mayJoin) throw invalid('campaign_id', 'must be a campaign that you can join')
  await db.transaction(tx =>
    recordNotices(tx, accountId, [{ kind: 'confirm_join', affiliateId: null, details: join }]),
  )
}

const joined = (tx: Tx, accountId: number, affiliateId: number, campaignId: number) =>
  recordNotices(tx, accountId, [{ kind: 'joined', affiliateId, details: { campaign_id: campaignId } }])

/** Finds confirmations by their digests, without consuming them. */
export const confirmations = (db: Db) => new LimitedLookup(lookups => findOpenJoins(db, lookups))

/**
 * Whether a confirmation would be accepted: the campaign may have closed, or the company may have rejected the affiliate.
 * Visibility was checked when the person requested to join.
 */
export const canConfirm = async (db: Db, accountId: number, join: JoinRow): Promise<boolean> =>
  (await openVisibility(db, accountId, join.campaign_id)) !== undefined &&
  (await findRecipientByEmail(db, accountId, join.email))?.status !== 'rejected'

/**
 * Consumes a confirmation link: the affiliate is created if new, enrolled in the campaign and signed in. Undefined when the link
 * is invalid, used or expired, the campaign has closed, or the company rejected the affiliate.
 */
export function confirmJoin(
  db: Db,
  accountId: number,
  linkToken: string,
  addressHash: Buffer | null,
): Promise<string | undefined> {
  return db.transaction(async tx => {
    const join = await takeJoin(tx, accountId, sha256(linkToken))
    if (!join) return undefined
    // Locked against a concurrent change of email: the session must not go to an affiliate whose address is no longer the confirmed one.
    await lockRecipientByEmail(tx, accountId, join.email)
    if (!(await canConfirm(tx, accountId, join))) return undefined
    const { affiliate, enrolled } = await enrolAffiliate(tx, accountId, {
      email: join.email,
      campaign_id: join.campaign_id,
      ...(join.name !== null && { name: join.name }),
    })
    if (enrolled) await joined(tx, accountId, affiliate.id, join.campaign_id)
    return beginPortalSession(tx, accountId, affiliate.id, addressHash)
  })
}

/** Enrols a signed-in affiliate in another campaign. Idempotent. */
export async function joinCampaign(
  db: Db,
  accountId: number,
  affiliateId: number,
  campaignId: number,
): Promise<void> {
  if ((await openVisibility(db, accountId, campaignId)) !== 'public') throw notFound('campaign')
  await db.transaction(async tx => {
    if (await enrol(tx, accountId, affiliateId, campaignId))
      await joined(tx, accountId, affiliateId, campaignId)
  })
}
