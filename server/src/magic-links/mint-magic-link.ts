import type { MagicLink } from '@tributary/contract'
import { accountSlug } from '../accounts/account-slug.ts'
import { affiliateStatus } from '../affiliates/affiliate-status.ts'
import { invalidState, notFound } from '../kit/domain-error.ts'
import type { Services } from '../kit/endpoint.ts'
import { newLinkToken, sha256 } from '../kit/tokens.ts'
import { insertMagicLink } from './magic-link.store.ts'

const LIFETIME_SECONDS = 900

/** Mints a sign-in link to the portal. Older links stay good: minting must not lock out somebody about to click. */
export function mintMagicLink(
  { db, baseUrl }: Services,
  accountId: number,
  affiliateId: number,
): Promise<MagicLink> {
  return db.transaction(async tx => {
    const status = await affiliateStatus(tx, accountId, affiliateId)
    if (status === undefined) throw notFound('affiliate')
    if (status === 'rejected')
      throw invalidState('The affiliate is rejected and cannot sign in to the portal.')
    const token = newLinkToken()
    await insertMagicLink(tx, accountId, affiliateId, {
      tokenHash: sha256(token),
      lifetimeSeconds: LIFETIME_SECONDS,
    })
    const slug = await accountSlug(tx, accountId)
    return { url: `${baseUrl}/portal/${slug}/sign-in/${token}`, expires_in: LIFETIME_SECONDS }
  })
}
