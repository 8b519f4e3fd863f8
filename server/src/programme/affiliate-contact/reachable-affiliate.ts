import type { Settings } from '../../config.ts'
import type { Tx } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import type { Sender } from '../../mail/render-mail.ts'
import { mailFrom } from '../../mail/servers/sending-server.ts'
import { lockAffiliate } from '../affiliates/affiliate.store.ts'
import type { AffiliateStatus } from '../affiliates/affiliate.ts'
import { mailSender } from '../portal-settings/mail-sender.ts'
import { portalOfAccount } from '../portal-settings/portal.store.ts'

export interface Reachable {
  email: string
  name: string | null
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
  if ((await mailFrom(tx, settings, accountId)) === null)
    throw invalidState(
      'Email is not set up, so nothing can be sent. Add an SMTP server under Settings → Email.',
    )
  const portal = await portalOfAccount(tx, accountId)
  const { address, sender } = mailSender(baseUrl, portal)
  return { email: affiliate.email, name: affiliate.name, status: affiliate.status, portal: address, sender }
}
