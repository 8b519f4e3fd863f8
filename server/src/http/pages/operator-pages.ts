import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../kit/domain-error.ts'
import { shared } from '../../kit/shared.ts'
import type { Readiness } from '../readiness.ts'

/**
 * Proxies block these pages by path, so each has exactly one spelling: what the router would treat as the same path, such as
 * `/metrics/` or `/%6detrics`, is a 404.
 */
async function assertExactPath(request: FastifyRequest): Promise<void> {
  if (request.originalUrl.split('?', 1)[0] !== request.routeOptions.url)
    throw new DomainError('not_found', 'Unknown path.')
}

/** Health, readiness and metrics, for operators. */
export function operatorPages(readiness: Readiness, contentType: string, metrics: () => Promise<string>) {
  // Concurrent scrapes share one collection.
  const sharedMetrics = shared(metrics)
  return async function register(app: FastifyInstance): Promise<void> {
    app.addHook('onRequest', assertExactPath)
    app.get('/healthz', async () => ({ status: 'ok' }))
    app.get('/readyz', async (_request, reply) => {
      // Lets a load balancer stop sending requests before the last ones have finished.
      if (readiness.isDraining) return reply.code(503).send({ status: 'draining' })
      await readiness.check()
      return { status: 'ready' }
    })
    app.get('/metrics', async (_request, reply) => reply.type(contentType).send(await sharedMetrics()))
  }
}
