import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import cookies from '@fastify/cookie'
import { withoutHidden } from '@tributary/contract/one-line'
import { PortalLook } from '@tributary/contract/portal'
import { accessPages } from '@tributary/contract/portal/texts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../db/services.ts'
import { addressHash } from '../../earning/tracking/visit.ts'
import { networkOf } from '../../kit/address.ts'
import { DomainError, notFound } from '../../kit/domain-error.ts'
import { escapeHtml } from '../../kit/escape-html.ts'
import { isLinkToken, sha256 } from '../../kit/tokens.ts'
import { parseUrl } from '../../kit/url.ts'
import { webBuildFolder } from '../../paths.ts'
import { drawIcon } from '../../portal/draw-icon.ts'
import { canConfirm, confirmations, confirmJoin } from '../../portal/join.ts'
import { findOpenCampaign, listPublicCampaigns } from '../../portal/listed-campaign.store.ts'
import type { PortalDomains } from '../../portal/portal-domains.ts'
import { signInByLink, signInLinks } from '../../portal/portal-sessions.ts'
import { isJoinKey } from '../../programme/portal-settings/join-link.ts'
import { findLogo, type PortalRow } from '../../programme/portal-settings/portal.store.ts'
import { logoAddress } from '../../programme/portal-settings/portal-address.ts'
import { portalCookie } from '../authenticate/affiliate.ts'
import type { CountGuesses } from '../authenticate/guess-limit.ts'
import { secondsUntil } from '../authenticate/rate-limited.ts'
import { setCookie } from '../authenticate/session-cookie.ts'
import { portalOf } from '../portal-host.ts'
import { ignoreBodies } from '../request/body.ts'
import { type AccessPage, renderAccessPage } from '../response/access-page.ts'
import type { ResponseWriter } from '../response/closed-response.ts'
import { sendHtml } from '../response/page-headers.ts'
import { PLAIN_COLOUR } from '../response/plain-page.ts'
import { loadSchemaCompilers } from '../schema-compilers.ts'

/** The join link of a private campaign; the link of a public one has no key. */
const JOIN_LINK = /\/join\/([a-z0-9-]{1,64})\/([\w-]{1,64})\/?$/
/** Invalid links per minute and network. */
const WRONG_LINKS_PER_MINUTE = 20
/** An SVG opened directly is a document, so its scripts are sandboxed. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/**
 * Whether the form was submitted from one of our pages. With `no-referrer`, browsers send `Origin: null` for forms; they report the
 * initiator in Sec-Fetch-Site instead.
 */
function assertOwnForm(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site']
  const { origin } = request.headers
  const isOurs =
    site === undefined
      ? origin === undefined || origin === 'null' || parseUrl(origin)?.host === request.host
      : site === 'same-origin' || site === 'none'
  if (!isOurs) throw new DomainError('unauthorized', 'The request does not come from a page of this service.')
}

/** The portal's HTML page, the access pages of links, and the logo. */
export function portalPages(
  services: Services,
  domains: PortalDomains,
  countGuesses: CountGuesses,
  writer: ResponseWriter,
) {
  const { db } = services
  const writeLook = writer(PortalLook)
  return async function register(app: FastifyInstance): Promise<void> {
    const page = readFileSync(join(webBuildFolder(), 'portal.html'), 'utf8')
    const addressKey = services.secrets.key('visitor address')
    const wrongLinks = countGuesses('links', WRONG_LINKS_PER_MINUTE)
    await app.register(cookies)
    // The forms have no fields, so no body is read.
    ignoreBodies(app)

    /** The base path of the portal: empty on a custom domain. */
    const baseOf = (request: FastifyRequest, { slug }: Pick<PortalRow, 'slug'>) =>
      domains.slugOf(request.host) === slug ? '' : `/portal/${slug}`

    /** The private campaign of a join link, only for a visitor with the complete link. */
    const invitedTo = async (request: FastifyRequest, { account_id }: PortalRow) => {
      const [, slug, key] = JOIN_LINK.exec(request.url.split('?')[0] as string) ?? []
      if (slug === undefined || key === undefined) return null
      const campaign = await findOpenCampaign(db, account_id, slug)
      const isValid = campaign && isJoinKey(services.secrets, account_id, campaign.id, key)
      return isValid ? { ...campaign, join_key: key } : null
    }

    const open = async (request: FastifyRequest, reply: FastifyReply) => {
      const portal = await portalOf(request, db)
      const base = baseOf(request, portal)
      const look: PortalLook = {
        base,
        name: portal.name ?? portal.account_name,
        colour: portal.colour,
        logo: logoAddress(base, portal),
        terms_url: portal.terms_url,
        mails_links: !portal.silent_mails.includes('sign_in_link'),
        campaigns: await listPublicCampaigns(db, portal.account_id),
        invited: await invitedTo(request, portal),
      }
      await loadSchemaCompilers()
      // A data block for the page's script. Escaping `<` keeps it from closing the element early.
      const data = withoutHidden(writeLook(look)).replaceAll('<', '\\u003c')
      const filled = page
        .replace('<title></title>', () => `<title>${escapeHtml(look.name)}</title>`)
        .replace('{}</script>', () => `${data}</script>`)
        .replace('#12755c', look.colour)
        .replace('data:,', `${base}/favicon.ico`)
      return sendHtml(reply, filled, { frameOrigins: portal.frame_origins })
    }
    app.get('/', open)
    app.get('/*', open)

    app.get('/logo/:version', async (request, reply) => {
      const { account_id } = await portalOf(request, db)
      const found = await findLogo(db, account_id)
      if (!found) throw notFound('logo')
      return (
        reply
          .type(found.logo_type)
          .header('Content-Security-Policy', PICTURE_POLICY)
          .header('Cache-Control', 'public, max-age=31536000, immutable')
          // Emails embed it too, and webmail is another origin.
          .header('Cross-Origin-Resource-Policy', 'cross-origin')
          .send(found.logo)
      )
    })

    // Browsers request this path on a custom domain, whatever the page declares.
    app.get('/favicon.ico', async (request, reply) => {
      const { account_id, account_name, name, colour } = await portalOf(request, db)
      const found = await findLogo(db, account_id)
      return reply
        .type(found?.logo_type ?? 'image/svg+xml')
        .header('Content-Security-Policy', PICTURE_POLICY)
        .header('Cache-Control', 'public, max-age=3600')
        .header('Cross-Origin-Resource-Policy', 'same-origin')
        .send(found?.logo ?? drawIcon(name ?? account_name, colour))
    })

    /** Sends a page in the company's branding; unbranded if finding the portal would cost a query. */
    const show = (
      request: FastifyRequest,
      reply: FastifyReply,
      portal: PortalRow | undefined,
      page: Pick<AccessPage, 'title' | 'text' | 'button' | 'submitsItself'>,
    ) => {
      const styleNonce = randomBytes(16).toString('base64')
      const html = renderAccessPage({
        ...page,
        styleNonce,
        company: portal && (portal.name ?? portal.account_name),
        colour: portal?.colour ?? PLAIN_COLOUR,
        logo: portal ? logoAddress(baseOf(request, portal), portal) : null,
        icon: portal ? `${baseOf(request, portal)}/favicon.ico` : null,
      })
      const frameOrigins = portal?.frame_origins ?? []
      return sendHtml(reply, html, { frameOrigins, styleNonce, isSecret: true })
    }

    const spentPage = (base: string) => {
      const { title, text, button } = accessPages.spent
      return { title, text, button: { label: button, href: `${base}/sign-in` } }
    }

    /** The access page of a link. GET shows whether the link is valid and changes nothing; the form's POST uses it. */
    function accessPage(
      path: string,
      ready: (company: string) => { title: string; text: string; label: string; submitsItself: boolean },
      look: (
        digest: Buffer,
        isWithinLimit: boolean,
        slug: string,
      ) => Promise<{ account_id: number } | undefined>,
      enter: typeof signInByLink,
    ): void {
      const lookAt = async (request: FastifyRequest, isWithinLimit: boolean) => {
        const { slug, token } = request.params as { slug: string; token: string }
        // PostgreSQL rejects a parameter with a NUL.
        return isLinkToken(token) && !slug.includes('\0')
          ? look(sha256(token), isWithinLimit, slug)
          : undefined
      }

      app.get(`/${path}/:token`, async (request, reply) => {
        const portal = await portalOf(request, db)
        const link = await lookAt(request, true)
        if (link?.account_id !== portal.account_id)
          return show(request, reply.code(410), portal, spentPage(baseOf(request, portal)))
        const { title, text, label, submitsItself } = ready(portal.name ?? portal.account_name)
        return show(request, reply, portal, { title, text, button: { label }, submitsItself })
      })
      app.post(`/${path}/:token`, async (request, reply) => {
        assertOwnForm(request)
        const { slug, token } = request.params as { slug: string; token: string }
        const base = baseOf(request, { slug })
        const network = networkOf(request.ip)
        const guess = await wrongLinks.begin(network)
        const tooMany = () => {
          reply.code(429).header('Retry-After', secondsUntil(guess.freesInMs))
          return show(request, reply, undefined, spentPage(base))
        }
        // A valid link works however many invalid ones came from its network; the limit only applies to invalid ones.
        const link = await lookAt(request, guess.admitted)
        if (!link && !guess.admitted) return tooMany()
        const portal = await portalOf(request, db)
        const addressOfVisitor = addressHash(request.ip, addressKey)
        const session =
          link?.account_id === portal.account_id
            ? await enter(db, portal.account_id, token, addressOfVisitor)
            : undefined
        if (session === undefined)
          return guess.admitted ? show(request, reply.code(410), portal, spentPage(base)) : tooMany()
        wrongLinks.forgive(network, guess)
        setCookie(request, reply, portalCookie(portal), session, {
          inFrames: portal.frame_origins.length > 0,
        })
        return reply.header('Cache-Control', 'no-store').redirect(base || '/', 303)
      })
    }
    const links = signInLinks(db)
    const joins = confirmations(db)
    const lookAtLink = (...asked: Parameters<typeof links.get>) => links.get(...asked)
    const lookAtJoin = async (...asked: Parameters<typeof joins.get>) => {
      const join = await joins.get(...asked)
      return join && (await canConfirm(db, join.account_id, join)) ? join : undefined
    }
    const { signIn, confirm } = accessPages
    // Links from the merchant's own site submit automatically. Links in emails do not: mail scanners open them and run scripts.
    accessPage(
      'sign-in',
      company => ({
        title: signIn.title(company),
        text: signIn.opening,
        label: signIn.button,
        submitsItself: true,
      }),
      lookAtLink,
      signInByLink,
    )
    accessPage(
      'enter',
      company => ({
        title: signIn.title(company),
        text: signIn.ready,
        label: signIn.button,
        submitsItself: false,
      }),
      lookAtLink,
      signInByLink,
    )
    accessPage(
      'confirm',
      company => ({
        title: confirm.title(company),
        text: confirm.ready,
        label: confirm.button,
        submitsItself: false,
      }),
      lookAtJoin,
      confirmJoin,
    )
  }
}
