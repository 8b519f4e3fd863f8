import type { FastifyInstance } from 'fastify'
import type { Services } from '../../db/services.ts'

/** Default headers of every response: no type sniffing, no caching. A handler may override them. */
export const DEFAULT_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' } as const

/** The default headers, with HSTS if it applies. */
export function defaultHeaders(services: Services): Record<string, string> {
  const hsts = strictTransport(services)
  return { ...DEFAULT_HEADERS, ...(hsts && { 'Strict-Transport-Security': hsts }) }
}

/** HSTS, only if the service is reached over https. */
function strictTransport({ settings, baseUrl }: Services): string | undefined {
  const seconds = settings.TRIBUTARY_HSTS_SECONDS
  return seconds > 0 && baseUrl.startsWith('https:') ? `max-age=${seconds}` : undefined
}

export function addResponseHeaders(app: FastifyInstance, services: Services): void {
  const headers = defaultHeaders(services)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('Request-Id', request.id)
    reply.headers(headers)
    done()
  })
}
