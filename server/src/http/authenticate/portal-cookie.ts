import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PortalRow } from '../../programme/portal-settings/portal.store.ts'
import { clearCookie, clearPartitioned, readCookie, setCookie } from './session-cookie.ts'

type Portal = Pick<PortalRow, 'slug' | 'frame_origins'>

/**
 * Each account's portal has its own session cookie, even if many portals share one host. Browsers keep a partitioned cookie beside
 * another one of the same name and send both, the older one first. So the cookie for frames has a separate name.
 */
const plainCookie = { nameOf: ({ slug }: Portal) => `portal-${slug}`, inFrames: false }
const framedCookie = { nameOf: ({ slug }: Portal) => `framed-portal-${slug}`, inFrames: true }

/** The cookie that fits the portal's frame origins, and the one from before they were added or removed. */
const cookiesOf = ({ frame_origins }: Portal) =>
  frame_origins.length > 0 ? ([framedCookie, plainCookie] as const) : ([plainCookie, framedCookie] as const)

/** The names that a session is looked for under, in this order. */
export const portalCookies = (portal: Portal): string[] =>
  cookiesOf(portal).map(({ nameOf }) => nameOf(portal))

export function clearPortalCookies(request: FastifyRequest, reply: FastifyReply, portal: Portal): void {
  for (const { nameOf, inFrames } of cookiesOf(portal)) {
    const name = nameOf(portal)
    if (readCookie(request, name) === undefined) continue
    clearCookie(request, reply, name, { inFrames })
    // Earlier versions partitioned the cookie under its plain name.
    if (!inFrames) clearPartitioned(request, reply, name)
  }
}

/** Also clears other ones: a browser has one session, which an older cookie would hide. */
export function setPortalCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  portal: Portal,
  token: string,
): void {
  clearPortalCookies(request, reply, portal)
  const [{ nameOf, inFrames }] = cookiesOf(portal)
  setCookie(request, reply, nameOf(portal), token, { inFrames })
}
