import type { FastifyInstance } from 'fastify'
import type { Services } from '../../db/services.ts'

/** What every answer says unless its handler says otherwise: it is what its type says, and nobody keeps a copy. */
export const DEFAULT_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' } as const

/** Browsers that were told stay with https; only where that is how they reach us. */
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
