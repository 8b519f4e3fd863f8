import type { Db, Tx } from '../db/database.ts'
import { LimitedLookup } from '../kit/shared-lookup.ts'
import { newLinkToken, sha256 } from '../kit/tokens.ts'
import { noteSignInAddress, type SignInAddress } from '../programme/affiliates/affiliate.store.ts'
import {
  findOpenLinks,
  findPortalSession,
  insertPortalSession,
  type PortalSessionRow,
  takeMagicLink,
  touchPortalSession,
} from '../programme/portal-access/portal-session.store.ts'

/** Starts a session under a new token (against session fixation) and records its address, to recognize someone who refers themselves. */
export async function beginPortalSession(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  address: SignInAddress | null,
): Promise<string> {
  const token = newLinkToken()
  await insertPortalSession(tx, accountId, affiliateId, sha256(token))
  if (address !== null) await noteSignInAddress(tx, accountId, affiliateId, address)
  return token
}

/** Finds sign-in links by their digests, without consuming them. */
export const signInLinks = (db: Db) => new LimitedLookup(lookups => findOpenLinks(db, lookups))

/** Signs in by consuming a link. Undefined when the link is invalid, used or expired. */
export function signInByLink(
  db: Db,
  accountId: number,
  linkToken: string,
  address: SignInAddress | null,
): Promise<string | undefined> {
  return db.transaction(async tx => {
    const affiliateId = await takeMagicLink(tx, accountId, sha256(linkToken))
    return affiliateId === undefined ? undefined : beginPortalSession(tx, accountId, affiliateId, address)
  })
}

/** The session and its affiliate, and whether this visit has renewed it; undefined when it has ended. */
export async function openPortalSession(
  db: Db,
  accountId: number,
  token: string,
): Promise<(PortalSessionRow & { isRenewed: boolean }) | undefined> {
  const hash = sha256(token)
  const session = await findPortalSession(db, accountId, hash)
  return session && { ...session, isRenewed: await touchPortalSession(db, accountId, hash) }
}
