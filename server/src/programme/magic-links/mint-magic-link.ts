import type { MagicLink } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import type { Services } from '../../db/services.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { newLinkToken, sha256 } from '../../kit/tokens.ts'
import { affiliateStatus } from '../affiliates/affiliate-status.ts'
import { portalOfAccount } from '../portal-settings/portal.store.ts'
import { portalAddress } from '../portal-settings/portal-address.ts'
import { insertMagicLink } from './magic-link.store.ts'

export const LIFETIME_SECONDS = 900

/** Creates the token of a sign-in link; only its digest is stored. Earlier links stay valid, since one may be in use. */
export async function issueMagicLink(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  lifetimeSeconds = LIFETIME_SECONDS,
): Promise<string> {
  const token = newLinkToken()
  await insertMagicLink(tx, accountId, affiliateId, { tokenHash: sha256(token), lifetimeSeconds })
  return token
}

export const rejectedCannotSignIn = () =>
  invalidState('The affiliate is rejected and cannot sign in to the portal. Approve the affiliate first.')

/**
 * Creates a sign-in link to the portal. By default for the merchant's own site to redirect the affiliate to. A link that people
 * pass on leads to a page with a button (`enter`): chat programs and mail scanners open links before the recipient does.
 */
export function mintMagicLink(
  { db, baseUrl }: Pick<Services, 'db' | 'baseUrl'>,
  accountId: number,
  affiliateId: number,
  { page = 'sign-in', lifetimeSeconds = LIFETIME_SECONDS }: LinkOptions = {},
): Promise<MagicLink> {
  return db.transaction(async tx => {
    const status = await affiliateStatus(tx, accountId, affiliateId)
    if (status === undefined) throw notFound('affiliate')
    if (status === 'rejected') throw rejectedCannotSignIn()
    const token = await issueMagicLink(tx, accountId, affiliateId, lifetimeSeconds)
    const address = portalAddress(baseUrl, await portalOfAccount(tx, accountId))
    return { url: `${address}/${page}/${token}`, expires_in: lifetimeSeconds }
  })
}

interface LinkOptions {
  page?: 'sign-in' | 'enter'
  lifetimeSeconds?: number
}
