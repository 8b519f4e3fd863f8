import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Services } from '../db/services.ts'
import { ClickWriter } from '../earning/tracking/click-writer.ts'
import { Countries } from '../earning/tracking/countries.ts'
import { deepLink, readLinkQuery } from '../earning/tracking/destination-url.ts'
import { fallbackSite } from '../earning/tracking/fallback-site.ts'
import { followLink, type Link } from '../earning/tracking/follow-link.ts'
import { Links } from '../earning/tracking/links.ts'
import { DomainError, notFound } from '../kit/domain-error.ts'
import { once } from '../kit/once.ts'
import { webFolder } from '../paths.ts'
import type { CountGuesses } from './authenticate/guess-limit.ts'
import { assertNotFailed } from './known-links.ts'
import { deadLink, sendPlainPage } from './response/plain-page.ts'
import { sendStored, storeResponse } from './response/stored-response.ts'
import { prefersJson } from './response/wants-page.ts'
import { addBeacons } from './tracker-beacons.ts'

/** What clicks are recorded with. */
export function trackingServices({ db, settings, secrets }: Services, log: Logger) {
  const countries = new Countries(settings.TRIBUTARY_GEO_DATABASE, log)
  return {
    db,
    clicks: new ClickWriter(db),
    links: new Links(db),
    addressKey: secrets.key('visitor address'),
    countries,
    countryOf: countries.of,
    leadKey: secrets.key('lead email'),
  }
}
export type Tracking = ReturnType<typeof trackingServices>

/** Referral links, the tracker script and its beacons. */
export function trackingRoutes(tracking: Tracking, countGuesses: CountGuesses) {
  return async function register(app: FastifyInstance): Promise<void> {
    await tracking.countries.start()
    app.addHook('onClose', async () => tracking.countries.stop())
    const source = await readFile(join(webFolder, 'tracker.js'), 'utf8')
    // Its comments and indentation are for readers of the source: visitors of every page would load them.
    const code = Buffer.from(source.replaceAll(/^[ \t]*(\/\/.*\n)?/gm, ''))
    const script = once(() => storeResponse('text/javascript; charset=utf-8', code))

    const goTo = (reply: FastifyReply, address: string) =>
      reply.code(302).header('Location', address).header('Cache-Control', 'no-store').send()

    /** A broken link redirects a browser to the merchant's site, or shows an error page; a program gets the error. */
    const sendElsewhere = async (
      request: FastifyRequest,
      reply: FastifyReply,
      link: Omit<Link, 'token' | 'marks'>,
      error: unknown,
    ) => {
      if (!(error instanceof DomainError) || error.code !== 'not_found' || prefersJson(request)) throw error
      const site = await fallbackSite(tracking.links, link)
      return site === undefined ? sendPlainPage(reply.code(404), deadLink) : goTo(reply, site)
    }
    /** For HEAD: programs check links with it, so there is no visitor and no click. */
    const findPage = async (link: Link) => {
      const destination = (await tracking.links.resolve(link))?.campaign.destination_url
      if (!destination) throw notFound('link')
      return new URL((link.to && deepLink(link.to, destination)) || destination).href
    }
    const follow = async (request: FastifyRequest, reply: FastifyReply) => {
      const params = request.params as { account: string; token?: string; campaign?: string }
      const link = {
        accountSlug: params.account,
        token: params.token ?? '',
        campaignSlug: params.campaign,
        ...readLinkQuery(request.query as string),
      }
      const { 'user-agent': userAgent, referer: referrer } = request.headers
      try {
        if (request.method === 'HEAD') return goTo(reply, await findPage(link))
        assertNotFailed(request.raw)
        return goTo(reply, await followLink(tracking, link, { address: request.ip, userAgent, referrer }))
      } catch (error) {
        return sendElsewhere(request, reply, link, error)
      }
    }
    // The last two are truncated or mangled links: the account is still known.
    for (const url of ['/r/:account/:token', '/r/:account/:token/:campaign', '/r/:account', '/r/:account/*'])
      app.route({ method: ['GET', 'HEAD'], url, exposeHeadRoute: false, handler: follow })

    // Cross-origin: loaded by the merchant's pages.
    app.get('/tracker.js', async (request, reply) => {
      reply.header('Cache-Control', 'public, max-age=3600')
      reply.header('Cross-Origin-Resource-Policy', 'cross-origin')
      return sendStored(request, reply, script())
    })

    addBeacons(app, tracking, countGuesses)
  }
}
