import type { PortalLook } from '@tributary/contract/portal'

/** What the server wrote into the page: whose portal this is and what it looks like. */
export const look: PortalLook = JSON.parse(document.getElementById('look')?.textContent ?? '{}')
