import type { FastifyReply, FastifyRequest } from 'fastify'
import { Histogram, type Registry } from 'prom-client'

declare module 'fastify' {
  interface FastifyRequest {
    /** For whom it is; known once the caller has been let in. */
    accountId: number | undefined
  }
}

/** The pattern of a request's path. Never the path itself: a link that signs somebody in is a secret, and so is a key put there by mistake. */
export const routeOf = (request: FastifyRequest) => request.routeOptions.url ?? 'unknown'

/** Measures a request that has been answered and writes its one line in the log. */
export function requestMeter(registry: Registry) {
  const seconds = new Histogram({
    name: 'tributary_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  return (request: FastifyRequest, reply: FastifyReply, route = routeOf(request)): void => {
    const { method, accountId: account_id } = request
    const status = reply.statusCode
    // Not known for what never came as far as a route.
    const ms = reply.elapsedTime || 0
    seconds.observe({ method, route, status }, ms / 1000)
    request.log.debug({ method, route, status, ms, account_id }, 'request')
  }
}
