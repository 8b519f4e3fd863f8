import type { Settings } from '../../config.ts'
import type { Tx } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import type { Sender } from '../../mail/render-mail.ts'
import { lockAffiliate } from '../affiliates/affiliate.store.ts'
import type { AffiliateStatus } from '../affiliates/affiliate.ts'
import { logoAddress, portalAddress } from '../portal-settings/portal-address.ts'
import { portalOfAccount } from '../portal-settings/portal-of-account.ts'

export interface Reachable {
  email: string
  status: AffiliateStatus
  /** The portal's URL. */
  portal: string
  sender: Sender
}

/**
 * The affiliate, locked, and the sender of emails to them. The lock serializes two requests for the same email, so that the second
 * one sees the first; and a change of the affiliate's address either comes first or voids what is sent here.
 */
export async function reachableAffiliate(
  tx: Tx,
  { settings, baseUrl }: { settings: Settings; baseUrl: string },
  accountId: number,
  id: number,
): Promise<Reachable> {
  const affiliate = await lockAffiliate(tx, accountId, id)
  if (!affiliate) throw notFound('affiliate')
  if (settings.TRIBUTARY_SMTP_URL === undefined)
    throw invalidState('Email is not set up on this server, so nothing can be sent. Set TRIBUTARY_SMTP_URL.')
  const portal = await portalOfAccount(tx, accountId)
  const address = portalAddress(baseUrl, portal)
  const sender = {
    name: portal.name ?? portal.account_name,
    colour: portal.colour,
    logo: logoAddress(address, portal),
  }
  return { email: affiliate.email, status: affiliate.status, portal: address, sender }
}
