import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { DomainError } from '../kit/domain-error.ts'
import type { Services } from '../kit/endpoint.ts'
import { PortalDomains } from '../portal/portal-domains.ts'
import { Admissions } from './admissions.ts'
import { PREFIXES, publicApi } from './api.ts'
import { authenticator } from './authenticate.ts'
import { LARGEST_BODY_BYTES } from './body.ts'
import { dashboardApi } from './dashboard.ts'
import { errorBody } from './error-body.ts'
import { handleError } from './error-handler.ts'
import { GuessLimit } from './guess-limit.ts'
import { createHttpMetrics, measureRequests } from './metrics.ts'
import { publicPages } from './pages.ts'
import { portalApi } from './portal.ts'
import { fromOwnDomain } from './portal-host.ts'
import { portalPages } from './portal-pages.ts'
import { trackingRoutes } from './tracking.ts'
import { webApp } from './web-app.ts'

export interface AppOptions {
  services: Services & { db: Database }
  log: Logger
  /** Where figures are gathered; the background work adds its own. */
  registry?: Registry
  /** Whether the process is on its way out; readiness tells it. */
  isDraining?: () => boolean
}

/** More than Node lets into a request line. */
const LONGEST_URL = 65_536

/** A request that is not even HTTP gets the one error object too. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error)
    return
  }
  const body = JSON.stringify(errorBody('bad_request', 'The request is not valid HTTP.'))
  socket.end(
    `HTTP/1.1 400 ${STATUS_CODES[400]}\r\nRequest-Id: ${randomUUID()}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** A number means so many proxies in front of the service, counted from it. */
const trustedProxies = (setting: Services['settings']['TRIBUTARY_TRUST_PROXY']) =>
  typeof setting === 'number' ? (_address: string, hop: number) => hop < setting : setting

/** The whole HTTP side of the service. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { services, log, registry = new Registry(), isDraining = () => false } = options
  const { settings, db } = services
  const allowed = settings.TRIBUTARY_RATE_LIMIT_PER_MINUTE
  const authenticate = authenticator(new Admissions(db, allowed), new GuessLimit(allowed), allowed)
  const domains = new PortalDomains(db, log)
  const app = Fastify({
    loggerInstance: log,
    // Requests are logged by our own hook, in one line each.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: LARGEST_BODY_BYTES,
    trustProxy: trustedProxies(settings.TRIBUTARY_TRUST_PROXY),
    // An account's own domain shows its portal, and nothing of the program behind it.
    rewriteUrl: ({ headers, url = '/' }) => {
      const slug = domains.slugOf(headers.host)
      return slug === undefined ? url : fromOwnDomain(slug, url)
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: async (error, request, reply) => {
      reply.header('Request-Id', request.id)
      // A path that cannot even be decoded still says nothing to a caller without a key.
      const admitted = PREFIXES.some(prefix => request.url.startsWith(prefix))
        ? authenticate(request as FastifyRequest, reply as FastifyReply)
        : Promise.resolve()
      await admitted.then(
        () => handleError(error, request, reply),
        refusal => handleError(refusal, request, reply),
      )
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      // However long an identifier is, it is one that does not exist.
      maxParamLength: LONGEST_URL,
      // The raw text: an operation reads it by its own schema.
      querystringParser: text => text as never,
    },
  }) as unknown as FastifyInstance

  app.addHook('onRequest', async (request, reply) => {
    reply.header('Request-Id', request.id)
  })
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(() => {
    throw new DomainError('not_found', 'There is no such path.')
  })

  measureRequests(app, createHttpMetrics(registry, db))
  for (const prefix of PREFIXES) await app.register(publicApi(prefix, services, authenticate), { prefix })
  await app.register(dashboardApi(services), { prefix: '/dashboard/api' })
  await app.register(portalApi(services), { prefix: '/portal/:slug/api' })
  await app.register(portalPages(services, domains), { prefix: '/portal/:slug' })
  await app.register(webApp())
  await app.register(trackingRoutes(services))
  await app.register(publicPages(services, registry, isDraining))
  app.addHook('onClose', async () => domains.stop())
  await domains.start()
  await app.ready()
  return app
}
