import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'

/** Figures of the process and of its connections. */
export function createProcessMetrics(registry: Registry, database: Database): void {
  collectDefaultMetrics({ register: registry, prefix: 'tributary_' })
  new Gauge({
    name: 'tributary_database_connections',
    help: 'Connections of this process to PostgreSQL, and requests that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { totalCount, idleCount, waitingCount } = database.pool
      this.set({ state: 'busy' }, totalCount - idleCount)
      this.set({ state: 'idle' }, idleCount)
      this.set({ state: 'waiting' }, waitingCount)
    },
  })
}

/** Measures every request and writes its line in the log. */
export function measureRequests(app: FastifyInstance, registry: Registry): void {
  const requestSeconds = new Histogram({
    name: 'tributary_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    requestSeconds.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1000,
    )
    request.log.debug(
      {
        method: request.method,
        url: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: reply.elapsedTime,
      },
      'request',
    )
  })
}
