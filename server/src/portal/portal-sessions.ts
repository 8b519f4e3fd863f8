import type { Db, Tx } from '../db/database.ts'
import { LimitedLookup } from '../kit/shared-lookup.ts'
import { newLinkToken, sha256 } from '../kit/tokens.ts'
import { noteSignInAddress } from '../programme/affiliates/affiliate.store.ts'
import {
  findOpenLinks,
  findPortalSession,
  insertPortalSession,
  type PortalSessionRow,
  takeMagicLink,
  touchPortalSession,
} from '../programme/portal-access/portal-session.store.ts'

/** Begins a session under a name that nobody has known before, and remembers where from: clicks from there are looked at twice. */
export async function beginPortalSession(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  addressHash: Buffer | null,
): Promise<string> {
  const token = newLinkToken()
  await insertPortalSession(tx, accountId, affiliateId, sha256(token))
  if (addressHash !== null) await noteSignInAddress(tx, accountId, affiliateId, addressHash)
  return token
}

/** Finds sign-in links by their digests, without using them up. */
export const signInLinks = (db: Db) => new LimitedLookup(asked => findOpenLinks(db, asked))

/** Signs in by a link, which is used up by it. Undefined when it does not open the door (any more). */
export function signInByLink(
  db: Db,
  accountId: number,
  linkToken: string,
  addressHash: Buffer | null,
): Promise<string | undefined> {
  return db.transaction(async tx => {
    const affiliateId = await takeMagicLink(tx, accountId, sha256(linkToken))
    return affiliateId === undefined ? undefined : beginPortalSession(tx, accountId, affiliateId, addressHash)
  })
}

/** Whose session it is; undefined when it has ended. */
export async function openPortalSession(
  db: Db,
  accountId: number,
  token: string,
): Promise<PortalSessionRow | undefined> {
  const hash = sha256(token)
  const session = await findPortalSession(db, accountId, hash)
  if (session) await touchPortalSession(db, accountId, hash)
  return session
}
