import type { Sender } from '../../mail/render-mail.ts'
import type { PortalRow } from './portal.store.ts'
import { logoAddress, portalAddress } from './portal-address.ts'

/** The sender of an account's emails, with its branding, and the portal that they lead to. */
export function mailSender(baseUrl: string, portal: PortalRow): { address: string; sender: Sender } {
  const address = portalAddress(baseUrl, portal)
  const name = portal.name ?? portal.account_name
  return { address, sender: { name, colour: portal.colour, logo: logoAddress(address, portal) } }
}
