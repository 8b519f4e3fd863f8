import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../kit/domain-error.ts'
import { shared } from '../../kit/shared.ts'
import type { Readiness } from '../readiness.ts'

/**
 * A proxy keeps these pages from the public by their paths. So they have one spelling each: whatever else the router takes for the
 * same, such as `/metrics/` or `/%6detrics`, does not exist.
 */
async function assertExactPath(request: FastifyRequest): Promise<void> {
  if (request.originalUrl.split('?', 1)[0] !== request.routeOptions.url)
    throw new DomainError('not_found', 'There is no such path.')
}

/** The state of a process, for those who run it. */
export function operatorPages(readiness: Readiness, contentType: string, metrics: () => Promise<string>) {
  // Many who ask at once are told the same.
  const sharedMetrics = shared(metrics)
  return async function register(app: FastifyInstance): Promise<void> {
    app.addHook('onRequest', assertExactPath)
    app.get('/healthz', async () => ({ status: 'ok' }))
    app.get('/readyz', async (_request, reply) => {
      // A load balancer stops sending requests here before the last ones have been answered.
      if (readiness.isDraining) return reply.code(503).send({ status: 'draining' })
      await readiness.check()
      return { status: 'ready' }
    })
    app.get('/metrics', async (_request, reply) => reply.type(contentType).send(await sharedMetrics()))
  }
}
