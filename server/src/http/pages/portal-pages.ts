import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import cookies from '@fastify/cookie'
import { withoutHidden } from '@tributary/contract/one-line'
import { PortalLook } from '@tributary/contract/portal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../db/services.ts'
import { ttlCache } from '../../kit/cache.ts'
import { notFound } from '../../kit/domain-error.ts'
import { escapeHtml } from '../../kit/escape-html.ts'
import { idFrom } from '../../kit/path-id.ts'
import { mailFrom } from '../../mail/servers/sending-server.ts'
import { webBuildFolder } from '../../paths.ts'
import { drawIcon } from '../../portal/draw-icon.ts'
import { findOpenCampaign, listPublicCampaigns } from '../../portal/listed-campaign.store.ts'
import type { PortalDomains } from '../../portal/portal-domains.ts'
import { fileName } from '../../programme/creatives/creative.presenter.ts'
import { findBanner, type StoredFile } from '../../programme/creatives/creative.store.ts'
import { isJoinKey } from '../../programme/portal-settings/join-link.ts'
import { findLogo, type PortalRow } from '../../programme/portal-settings/portal.store.ts'
import { logoAddress } from '../../programme/portal-settings/portal-address.ts'
import type { CountGuesses } from '../authenticate/guess-limit.ts'
import { portalOf } from '../portal-host.ts'
import { ignoreBodies } from '../request/body.ts'
import type { ResponseWriter } from '../response/closed-response.ts'
import { sendHtml } from '../response/page-headers.ts'
import { loadSchemaCompilers } from '../schema-compilers.ts'
import { portalAccessPages } from './portal-access-pages.ts'

/** The join link of a private campaign; the link of a public one has no key. */
const JOIN_LINK = /\/join\/([a-z0-9-]{1,64})\/([\w-]{1,64})\/?$/
/** An SVG opened directly is a document, so its scripts are sandboxed. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/**
 * Banners are requested with every view of the sites that embed them, without a key: they are served from memory, at most 16 of up to
 * 1 MiB. One that was deleted may be served for this long.
 */
const BANNER_LIFETIME_MS = 60_000
const MOST_BANNERS = 16

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
        sends_emails: (await mailFrom(db, services.settings, portal.account_id)) !== null,
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

    const banners = ttlCache<StoredFile>(BANNER_LIFETIME_MS, MOST_BANNERS)
    app.get('/creative/:id/:version', async (request, reply) => {
      const { account_id } = await portalOf(request, db)
      const { id, version } = request.params as { id: string; version: string }
      if (!/^[0-9a-f]{16}$/.test(version)) throw notFound('creative')
      const find = () => findBanner(db, account_id, idFrom(id), version)
      const found = await banners(`${account_id} ${idFrom(id)} ${version}`, find)
      if (!found) throw notFound('creative')
      return (
        reply
          .type(found.file_type)
          .header('Content-Disposition', `inline; filename="${fileName(found)}"`)
          .header('Content-Security-Policy', PICTURE_POLICY)
          .header('Cache-Control', 'public, max-age=31536000, immutable')
          // Affiliates embed it in their own sites.
          .header('Cross-Origin-Resource-Policy', 'cross-origin')
          .send(found.file)
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

    portalAccessPages(app, services, countGuesses, baseOf)
  }
}
