import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../db/database.ts'
import type { Services } from '../db/services.ts'
import { ClickWriter } from '../earning/tracking/click-writer.ts'
import { isMerchantOrigin } from '../earning/tracking/destination-url.ts'
import { fallbackSite } from '../earning/tracking/fallback-site.ts'
import { followLink, type Link } from '../earning/tracking/follow-link.ts'
import { Links } from '../earning/tracking/links.ts'
import { merchantSites } from '../earning/tracking/merchant-sites.ts'
import { type Beacon, recordClick } from '../earning/tracking/record-click.ts'
import { DomainError } from '../kit/domain-error.ts'
import { once } from '../kit/once.ts'
import { webFolder } from '../paths.ts'
import { objectBody, parseJson } from './request/body.ts'
import { withBody } from './request/read-body.ts'
import { reader } from './request/validation.ts'
import { deadLink, sendPlainPage } from './response/plain-page.ts'
import { sendStored, storeResponse } from './response/stored-response.ts'
import { prefersJson } from './response/wants-page.ts'
import { loadSchemaCompilers } from './schema-compilers.ts'

const LARGEST_BEACON_BYTES = 8 * 1024

const readBeacon = reader(
  Type.Object(
    {
      account: Type.String({ minLength: 1, maxLength: 64 }),
      visitor_id: Type.String({ minLength: 8, maxLength: 64 }),
      token: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      click_id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
      campaign: Type.Optional(Type.String({ maxLength: 64 })),
      url: Type.Optional(Type.String({ maxLength: 4096 })),
      referrer: Type.Optional(Type.String({ maxLength: 4096 })),
    },
    { additionalProperties: false },
  ),
)

/** CORS: only the merchant's own pages may read the response. Other origins may send beacons but learn nothing. */
async function allowOrigin(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  account: string,
): Promise<void> {
  const { origin } = request.headers
  reply.header('Vary', 'Origin')
  if (origin && isMerchantOrigin(origin, await merchantSites(db, account)))
    reply.header('Access-Control-Allow-Origin', origin)
}

/** Referral links, the tracker script and its beacon. */
export function trackingRoutes(services: Services) {
  return async function register(app: FastifyInstance): Promise<void> {
    const tracking = {
      db: services.db,
      clicks: new ClickWriter(services.db),
      links: new Links(services.db),
      addressKey: services.secrets.key('visitor address'),
    }
    const source = await readFile(join(webFolder, 'tracker.js'))
    const script = once(() => storeResponse('text/javascript; charset=utf-8', source))

    const goTo = (reply: FastifyReply, address: string) =>
      reply.code(302).header('Location', address).header('Cache-Control', 'no-store').send()

    /** A broken link redirects a browser to the merchant's site, or shows an error page; a program gets the error. */
    const sendElsewhere = async (
      request: FastifyRequest,
      reply: FastifyReply,
      link: Omit<Link, 'token'>,
      error: unknown,
    ) => {
      if (!(error instanceof DomainError) || error.code !== 'not_found' || prefersJson(request)) throw error
      const site = await fallbackSite(tracking.links, link)
      return site === undefined ? sendPlainPage(reply.code(404), deadLink) : goTo(reply, site)
    }
    const follow = async (request: FastifyRequest, reply: FastifyReply) => {
      const params = request.params as { account: string; token?: string; campaign?: string }
      // Parsed leniently: parameters that third parties append must not break a link.
      const query = request.query as string
      const to = query ? (new URLSearchParams(query).get('to') ?? undefined) : undefined
      const link = { accountSlug: params.account, campaignSlug: params.campaign, to }
      try {
        const address = await followLink(
          tracking,
          { ...link, token: params.token ?? '' },
          {
            address: request.ip,
            userAgent: request.headers['user-agent'],
            referrer: request.headers.referer,
          },
        )
        return goTo(reply, address)
      } catch (error) {
        return sendElsewhere(request, reply, link, error)
      }
    }
    app.get('/r/:account/:token', { exposeHeadRoute: false }, follow)
    app.get('/r/:account/:token/:campaign', { exposeHeadRoute: false }, follow)
    // Truncated or mangled links: the account is still known.
    app.get('/r/:account', { exposeHeadRoute: false }, follow)
    app.get('/r/:account/*', { exposeHeadRoute: false }, follow)

    // Cross-origin: loaded by the merchant's pages.
    app.get('/tracker.js', async (request, reply) => {
      reply.header('Cache-Control', 'public, max-age=3600')
      reply.header('Cross-Origin-Resource-Policy', 'cross-origin')
      return sendStored(request, reply, script())
    })

    // Sent as text/plain to avoid a CORS preflight; parsed as JSON whatever the content type.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (request: FastifyRequest) =>
      withBody(request, bytes => (bytes.length > 0 ? parseJson(bytes) : undefined)),
    )
    app.post('/t/clicks', { bodyLimit: LARGEST_BEACON_BYTES }, async (request, reply) => {
      await loadSchemaCompilers()
      const beacon: Beacon = readBeacon(objectBody(request.body, true))
      await allowOrigin(services.db, request, reply, beacon.account)
      const recorded = await recordClick(tracking, beacon, {
        address: request.ip,
        userAgent: request.headers['user-agent'],
        referrer: undefined,
      })
      return reply.code(201).header('Cache-Control', 'no-store').send(recorded)
    })
    // Preflight, for pages that send JSON. No lookup here: the response to the beacon itself restricts who may read it.
    app.options('/t/clicks', async (request, reply) =>
      reply
        .code(204)
        .header('Access-Control-Allow-Origin', request.headers.origin ?? '*')
        .header('Access-Control-Allow-Methods', 'POST')
        .header('Access-Control-Allow-Headers', 'content-type')
        .header('Vary', 'Origin')
        .send(),
    )
  }
}
