import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { readLinkQuery } from '../earning/tracking/destination-url.ts'
import { followResolved, type Link, type LinkServices } from '../earning/tracking/follow-link.ts'
import type { ResolvedLink } from '../earning/tracking/links.ts'
import type { Readiness } from './readiness.ts'
import type { MeasureRequest } from './request-meter.ts'

/** A link whose path needs no decoding. */
const LINK = /^\/r\/([\w-]+)\/([\w-]+)(?:\/([\w-]+))?(?:\?(.*))?$/

interface Surroundings {
  tracking: LinkServices
  log: Logger
  measure: MeasureRequest
  readiness: Readiness
  /** Those of every response. */
  headers: Record<string, string>
  /** The URL that is served, which isn't the requested one on a custom domain. */
  urlOf: (request: IncomingMessage) => string
  addressOf: (request: IncomingMessage) => string
  /** Called for each request. */
  noteUse: () => void
}

/** Why the click of a request could not be stored. */
const failures = new WeakMap<IncomingMessage, unknown>()

/** Throws if the click of this request could not be stored: the framework responds, but must not store it a second time. */
export function assertNotFailed(request: IncomingMessage): void {
  if (failures.has(request)) throw failures.get(request)
}

/**
 * Responds to clicks on links that are cached, which most are, without the framework: that would take a fifth of a click's processor time.
 * Everything else, and every error, is left to the framework, whose routes in `tracking.ts` redirect in the same way.
 */
export function redirectKnownLinks(
  { tracking, log, measure, readiness, headers, urlOf, addressOf, noteUse }: Surroundings,
  framework: RequestListener,
): RequestListener {
  const names = Object.entries(headers).flat()

  async function redirect(
    request: IncomingMessage,
    response: ServerResponse,
    link: Link,
    known: ResolvedLink,
  ): Promise<void> {
    const begunAt = performance.now()
    const { 'user-agent': userAgent, referer: referrer } = request.headers
    const visit = { address: addressOf(request), userAgent, referrer }
    const location = await followResolved(tracking, link, known, visit)
    const request_id = randomUUID()
    const route = `/r/:account/:token${link.campaignSlug === undefined ? '' : '/:campaign'}`
    const finish = () =>
      measure(log, { request_id, method: 'GET', route, status: 302, ms: performance.now() - begunAt })
    // The visitor may have left before the click was stored.
    if (response.closed) finish()
    else response.on('close', finish)
    const own = ['Request-Id', request_id, 'Location', location, 'Content-Length', '0']
    if (readiness.isLettingGo) own.push('Connection', 'close')
    response.writeHead(302, [...names, ...own]).end()
  }

  return (request, response) => {
    const path = request.method === 'GET' && request.url?.startsWith('/r/') && LINK.exec(urlOf(request))
    const [, accountSlug = '', token = '', campaignSlug, query = ''] = path || []
    const known = path && tracking.links.known({ accountSlug, token, campaignSlug })
    if (!known) {
      framework(request, response)
      return
    }
    noteUse()
    const { to, marks } = readLinkQuery(query)
    const link = { accountSlug, token, campaignSlug, to, marks }
    redirect(request, response, link, known).catch(error => {
      failures.set(request, error)
      framework(request, response)
    })
  }
}
