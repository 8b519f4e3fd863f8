import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { Histogram, type Registry } from 'prom-client'

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of the request; set once the caller is authenticated. */
    accountId: number | undefined
  }
}

/** The route pattern. Never the path itself: a sign-in link is a secret, and so is a key put there by mistake. */
export const routeOf = (request: FastifyRequest) => request.routeOptions.url ?? 'unknown'

/** What is measured and logged of a finished request. */
interface Finished {
  method: string
  route: string
  status: number
  ms: number
  account_id?: number | undefined
  /** Unless the log adds it. */
  request_id?: string
}
export type MeasureRequest = (log: Pick<FastifyBaseLogger, 'debug'>, finished: Finished) => void

/** Records the duration of a finished request and logs it in one line. */
export function requestMeter(registry: Registry): MeasureRequest {
  const seconds = new Histogram({
    name: 'tributary_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  return (log, finished) => {
    const { method, route, status, ms } = finished
    seconds.observe({ method, route, status }, ms / 1000)
    log.debug(finished, 'request finished')
  }
}

export const finishedRequest = (
  request: FastifyRequest,
  reply: FastifyReply,
  route = routeOf(request),
): Finished => ({
  method: request.method,
  route,
  status: reply.statusCode,
  // Unknown for a request that never reached a route.
  ms: reply.elapsedTime || 0,
  account_id: request.accountId,
})
