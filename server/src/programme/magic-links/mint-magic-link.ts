import type { MagicLink } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import type { Services } from '../../db/services.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { newLinkToken, sha256 } from '../../kit/tokens.ts'
import { affiliateStatus } from '../affiliates/affiliate-status.ts'
import { portalAddress } from '../portal-settings/portal-address.ts'
import { portalOfAccount } from '../portal-settings/portal-of-account.ts'
import { insertMagicLink } from './magic-link.store.ts'

export const LIFETIME_SECONDS = 900

/** Creates the token of a sign-in link; only its digest is stored. Earlier links stay valid, since one may be in use. */
export async function issueMagicLink(tx: Tx, accountId: number, affiliateId: number): Promise<string> {
  const token = newLinkToken()
  await insertMagicLink(tx, accountId, affiliateId, {
    tokenHash: sha256(token),
    lifetimeSeconds: LIFETIME_SECONDS,
  })
  return token
}

/** Creates a sign-in link to the portal, for the merchant's own site to redirect the affiliate to. */
export function mintMagicLink(
  { db, baseUrl }: Services,
  accountId: number,
  affiliateId: number,
): Promise<MagicLink> {
  return db.transaction(async tx => {
    const status = await affiliateStatus(tx, accountId, affiliateId)
    if (status === undefined) throw notFound('affiliate')
    if (status === 'rejected')
      throw invalidState(
        'The affiliate is rejected and cannot sign in to the portal. Approve the affiliate first.',
      )
    const token = await issueMagicLink(tx, accountId, affiliateId)
    const address = portalAddress(baseUrl, await portalOfAccount(tx, accountId))
    return { url: `${address}/sign-in/${token}`, expires_in: LIFETIME_SECONDS }
  })
}
