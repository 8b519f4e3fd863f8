import type { FastifyInstance } from 'fastify'
import type { Readiness } from './readiness.ts'

/** The state of a process, for those who run it. */
export function operatorPages(readiness: Readiness, contentType: string, figures: () => Promise<string>) {
  return async function register(app: FastifyInstance): Promise<void> {
    app.get('/healthz', async () => ({ status: 'ok' }))
    app.get('/readyz', async (_request, reply) => {
      // A load balancer stops sending requests here before the last ones have been answered.
      if (readiness.isDraining) return reply.code(503).send({ status: 'draining' })
      await readiness.check()
      return { status: 'ready' }
    })
    app.get('/metrics', async (_request, reply) => reply.type(contentType).send(await figures()))
  }
}
