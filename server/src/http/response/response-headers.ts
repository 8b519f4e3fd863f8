import type { FastifyInstance } from 'fastify'
import type { Services } from '../../db/services.ts'

/** Default headers of every response: no type sniffing, no caching. A handler may override them. */
export const DEFAULT_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' } as const

/** HSTS, only if the service is reached over https. */
function strictTransport({ settings, baseUrl }: Services): string | undefined {
  const seconds = settings.TRIBUTARY_HSTS_SECONDS
  return seconds > 0 && baseUrl.startsWith('https:') ? `max-age=${seconds}` : undefined
}

export function addResponseHeaders(app: FastifyInstance, services: Services): void {
  const hsts = strictTransport(services)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('Request-Id', request.id)
    reply.headers(DEFAULT_HEADERS)
    if (hsts) reply.header('Strict-Transport-Security', hsts)
    done()
  })
}
