import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import proxyAddress from '@fastify/proxy-addr'
import Fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { inboxMetrics } from '../connectors/inbox-metrics.ts'
import type { Database } from '../db/database.ts'
import type { Services } from '../db/services.ts'
import { canonicalAddress } from '../kit/address.ts'
import { DomainError } from '../kit/domain-error.ts'
import { PortalDomains } from '../portal/portal-domains.ts'
import { PREFIXES, publicApi } from './api.ts'
import { Admissions } from './authenticate/admissions.ts'
import { byApiKey } from './authenticate/api-key.ts'
import { type CountGuesses, GuessLimit } from './authenticate/guess-limit.ts'
import { CONNECT_PREFIX, connectRoutes } from './connect.ts'
import {
  type ConnectionLimits,
  connectionLimits,
  createBoundedServer,
  hasStartedResponse,
} from './connections.ts'
import { dashboardApi } from './dashboard.ts'
import { redirectKnownLinks } from './known-links.ts'
import { createProcessMetrics } from './metrics.ts'
import { operatorPages } from './pages/operator-pages.ts'
import { portalFront } from './pages/portal-front.ts'
import { portalPages } from './pages/portal-pages.ts'
import { publicPages } from './pages/public-pages.ts'
import { sdkRoutes } from './pages/sdk-package.ts'
import { teamUnsubscribePages } from './pages/team-unsubscribe-pages.ts'
import { webApp } from './pages/web-app.ts'
import { portalApi } from './portal.ts'
import { fromOwnDomain } from './portal-host.ts'
import { Readiness } from './readiness.ts'
import { ignoreBodies } from './request/body.ts'
import { LARGEST_BODY_BYTES } from './request/read-body.ts'
import { finishedRequest, requestMeter } from './request-meter.ts'
import { closedResponse, type ResponseWriter } from './response/closed-response.ts'
import { Downloads } from './response/downloads.ts'
import { errorBody } from './response/error-body.ts'
import { handleError } from './response/error-handler.ts'
import { addResponseHeaders, defaultHeaders } from './response/response-headers.ts'
import { serializers } from './response/serialization.ts'
import { trackingRoutes, trackingServices } from './tracking.ts'

export interface AppOptions {
  services: Services & { db: Database }
  log: Logger
  /** The metrics registry; background work adds its own. */
  registry?: Registry
  readiness?: Readiness
  /** Settles when the database can be queried; omitted if it already can. */
  prepared?: Promise<unknown>
  /** The content of /metrics, if it covers more than this process. */
  metrics?: () => Promise<string>
  /** The guess counter, if another process holds it. */
  countGuesses?: CountGuesses
  limits?: ConnectionLimits
  /** How results are serialized. */
  writer?: ResponseWriter
}

/** The API counts as in use for this long after a request. */
const OTHERS_MS = 1000
/** Billing events themselves, and what a monitor asks for every second. */
const notOthers = new RegExp(`^(?:${CONNECT_PREFIX}|/(?:healthz|readyz|metrics)(?:$|\\?))`)

/** Longer than any request line that Node accepts. */
const LONGEST_URL = 65_536

/** Malformed HTTP gets the error object of the API too. */
function respondToBrokenRequest(log: Logger, error: NodeJS.ErrnoException, socket: Socket): void {
  // A response is already in progress on this connection.
  if (error.code === 'ECONNRESET' || !socket.writable || hasStartedResponse(socket)) {
    socket.destroy(error)
    return
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const problem = isLate ? 'The request timed out.' : 'The request is not valid HTTP.'
  const body = JSON.stringify(errorBody('bad_request', problem))
  const id = randomUUID()
  // Only the code: the error object holds the raw bytes received.
  log.debug({ request_id: id, code: error.code }, 'malformed HTTP request')
  socket.end(
    `HTTP/1.1 400 ${STATUS_CODES[400]}\r\nRequest-Id: ${id}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      'X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

type TrustProxy = false | ((address: string, hop: number) => boolean)

/** A number is the count of trusted hops, from the service outwards. */
function trustedProxies(setting: Services['settings']['TRIBUTARY_TRUST_PROXY']): TrustProxy {
  if (typeof setting === 'boolean') return setting && (() => true)
  if (typeof setting === 'number') return (_address, hop) => hop < setting
  const isTrusted = proxyAddress.compile(setting)
  return (address, hop) => isTrusted(canonicalAddress(address), hop)
}

/** The client's address, as the framework has it. */
const addressBehind = (trust: TrustProxy) => (request: IncomingMessage) =>
  trust ? proxyAddress(request, trust) : (request.socket.remoteAddress ?? '')

/** Builds the whole HTTP side. It runs no query before it starts listening. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const {
    services,
    log,
    registry = new Registry(),
    limits = connectionLimits,
    writer = closedResponse,
  } = options
  const { settings, db } = services
  const {
    readiness = new Readiness(db),
    metrics = () => registry.metrics(),
    countGuesses = (_what: string, guesses: number, windowMs?: number) => new GuessLimit(guesses, windowMs),
  } = options
  const allowed = settings.TRIBUTARY_RATE_LIMIT_PER_MINUTE
  const authenticate = byApiKey(
    new Admissions(db, allowed, settings.TRIBUTARY_PROCESSES),
    countGuesses('keys', allowed),
    allowed,
  )
  const domains = new PortalDomains(db, log)
  const downloads = new Downloads(services)
  createProcessMetrics(registry, db)
  const measure = requestMeter(registry)
  const tracking = trackingServices(services, log)
  // A custom domain serves that account's portal and nothing else.
  const urlOf = ({ headers, url = '/' }: IncomingMessage) => {
    const slug = domains.slugOf(headers.host)
    return slug === undefined ? url : fromOwnDomain(slug, url)
  }
  const trustProxy = trustedProxies(settings.TRIBUTARY_TRUST_PROXY)
  let otherAt = Number.NEGATIVE_INFINITY
  const hasOthers = () => performance.now() - otherAt < OTHERS_MS
  const noteUse = () => {
    otherAt = performance.now()
  }
  const links = {
    ...{ tracking, log, measure, readiness, urlOf, noteUse },
    headers: defaultHeaders(services),
    addressOf: addressBehind(trustProxy),
  }
  const app = Fastify({
    loggerInstance: log,
    // Our own hook logs each request in one line.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => randomUUID(),
    bodyLimit: LARGEST_BODY_BYTES,
    serverFactory: handler =>
      createBoundedServer(redirectKnownLinks(links, handler), {
        ...limits,
        mostConnections: settings.TRIBUTARY_MAX_CONNECTIONS,
      }),
    trustProxy,
    rewriteUrl: urlOf,
    schemaController: { compilersFactory: serializers(writer) },
    return503OnClosing: false,
    // Getting ready includes waiting for the database, whose migrations may take long.
    pluginTimeout: 0,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => respondToBrokenRequest(log, error, socket),
    frameworkErrors: async (error, request, reply) => {
      reply.header('Request-Id', request.id)
      // Even for a path that cannot be decoded, a caller without a key learns nothing.
      const admitted = PREFIXES.some(prefix => request.url.startsWith(prefix))
        ? authenticate(request as FastifyRequest, reply as FastifyReply)
        : Promise.resolve()
      await admitted.then(
        () => handleError(error, request, reply),
        refusal => handleError(refusal, request, reply),
      )
      // No route, no hooks.
      measure(request.log, finishedRequest(request as FastifyRequest, reply as FastifyReply, 'unknown'))
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      // An overlong id is a 404, not a framework error.
      maxParamLength: LONGEST_URL,
      // Raw: each operation parses it by its own schema.
      querystringParser: text => text as never,
    },
  }) as unknown as FastifyInstance

  app.decorateRequest('visitor', undefined)
  app.decorateRequest('accountId', undefined)
  app.decorateRequest('hasSlowBody', false)
  app.decorateRequest('releaseBody', undefined)
  // Routes that take a body opt in where they are registered.
  ignoreBodies(app)
  addResponseHeaders(app, services)
  app.addHook('onRequest', (request, reply, done) => {
    if (!notOthers.test(request.url)) noteUse()
    // While stopping, each response closes its connection, so that clients have moved elsewhere before the server closes.
    if (readiness.isLettingGo) reply.header('Connection', 'close')
    done()
  })
  app.addHook('onResponse', async (request, reply) => {
    request.releaseBody?.()
    measure(request.log, finishedRequest(request, reply))
  })
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(() => {
    throw new DomainError('not_found', 'Unknown path.')
  })

  const surfaces: [FastifyPluginAsync, string?][] = [
    ...PREFIXES.map((prefix): [FastifyPluginAsync, string] => [
      publicApi(prefix, services, authenticate),
      prefix,
    ]),
    [dashboardApi(services, countGuesses, downloads, writer), '/dashboard/api'],
    [portalApi(services, countGuesses, downloads, writer), '/portal/:slug/api'],
    [portalPages(services, domains, countGuesses, writer), '/portal/:slug'],
    [portalFront(services)],
    [webApp()],
    [connectRoutes(services, inboxMetrics(registry), hasOthers)],
    [trackingRoutes(tracking, countGuesses)],
    [publicPages(services)],
    [teamUnsubscribePages(services)],
    [sdkRoutes()],
  ]
  // With a separate operator port they are registered there: see `operator-app.ts`.
  if (settings.TRIBUTARY_OPERATOR_PORT === undefined)
    surfaces.push([operatorPages(readiness, registry.contentType, metrics)])
  for (const [surface, prefix = ''] of surfaces) {
    // Registering routes keeps the event loop busy for 100 ms. Between two surfaces the database connection gets its turn.
    await nextTurn()
    await app.register(surface, { prefix })
  }
  app.addHook('onReady', async () => {
    await options.prepared
    await domains.start()
  })
  app.addHook('onClose', async () => domains.stop())
  return app
}
