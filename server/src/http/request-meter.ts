import type { FastifyReply, FastifyRequest } from 'fastify'
import { Histogram, type Registry } from 'prom-client'

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of the request; set once the caller is authenticated. */
    accountId: number | undefined
  }
}

/** The route pattern. Never the path itself: a sign-in link is a secret, and so is a key put there by mistake. */
export const routeOf = (request: FastifyRequest) => request.routeOptions.url ?? 'unknown'

/** Records the duration of a finished request and logs it in one line. */
export function requestMeter(registry: Registry) {
  const seconds = new Histogram({
    name: 'tributary_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  return (request: FastifyRequest, reply: FastifyReply, route = routeOf(request)): void => {
    const { method, accountId: account_id } = request
    const status = reply.statusCode
    // Unknown for a request that never reached a route.
    const ms = reply.elapsedTime || 0
    seconds.observe({ method, route, status }, ms / 1000)
    request.log.debug({ method, route, status, ms, account_id }, 'request finished')
  }
}
