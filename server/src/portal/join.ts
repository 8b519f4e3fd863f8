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

/** Notes that somebody wants a link to sign in. Whether the address is known is found out later, and never told. */
export const askForLink = (db: Db, accountId: number, email: string): Promise<void> =>
  db.transaction(tx =>
    recordNotices(tx, accountId, [{ kind: 'sign_in_link', affiliateId: null, details: { email } }]),
  )

/**
 * Notes that somebody wants to join. They are on the roster once they have proved that the address is theirs. A private campaign is
 * joined by its link alone, so the request has to hold the link's key.
 */
export async function askToJoin(
  { db, secrets }: { db: Db; secrets: SecretBox },
  accountId: number,
  { join_key: key, ...join }: { email: string; name?: string | null; campaign_id: number; join_key?: string },
): Promise<void> {
  const visibility = await openVisibility(db, accountId, join.campaign_id)
  const mayJoin =
    visibility === 'public' ||
    (visibility === 'private' && key !== undefined && isJoinKey(secrets, accountId, join.campaign_id, key))
  if (!mayJoin) throw invalid('campaign_id', 'names no campaign that you can join')
  await db.transaction(tx =>
    recordNotices(tx, accountId, [{ kind: 'confirm_join', affiliateId: null, details: join }]),
  )
}

const joined = (tx: Tx, accountId: number, affiliateId: number, campaignId: number) =>
  recordNotices(tx, accountId, [{ kind: 'joined', affiliateId, details: { campaign_id: campaignId } }])

/** Finds confirmations by their digests, without using them up. */
export const confirmations = (db: Db) => new LimitedLookup(asked => findOpenJoins(db, asked))

/**
 * Whether a confirmation would be accepted: the campaign may have closed, or the company decided against this person. Whether it is
 * listed does not matter any more: whoever asked was allowed to.
 */
export const canConfirm = async (db: Db, accountId: number, join: JoinRow): Promise<boolean> =>
  (await openVisibility(db, accountId, join.campaign_id)) !== undefined &&
  (await findRecipientByEmail(db, accountId, join.email))?.status !== 'rejected'

/**
 * The address is proved: whoever it belongs to is on the roster, in the campaign and signed in. Undefined when the link does not
 * work (any more), the campaign has closed meanwhile, or the company has decided against this person before.
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
    // Locked, so that nobody is signed in as an affiliate whose email is being changed from the one that was proved.
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

/** An affiliate joins a further campaign; doing it again does nothing. */
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
