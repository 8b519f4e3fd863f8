import type { PortalLook } from '@tributary/contract/portal'

/** The portal's company, branding and campaigns, embedded in the page by the server. */
export const look: PortalLook = JSON.parse(document.getElementById('look')?.textContent ?? '{}')
