import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import { createBoundedServer } from './connections.ts'
import { operatorPages } from './pages/operator-pages.ts'
import type { Readiness } from './readiness.ts'
import { ignoreBodies } from './request/body.ts'
import { handleError } from './response/error-handler.ts'
import { DEFAULT_HEADERS } from './response/response-headers.ts'

/** An app with the operator pages only, for the separate port of a worker or of `serve`. */
export async function buildOperatorApp(
  log: Logger,
  readiness: Readiness,
  contentType: string,
  metrics: () => Promise<string>,
): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    serverFactory: handler => createBoundedServer(handler),
    forceCloseConnections: true,
  }) as unknown as FastifyInstance
  ignoreBodies(app)
  app.addHook('onRequest', async (_request, reply) => void reply.headers(DEFAULT_HEADERS))
  app.setErrorHandler(handleError)
  await app.register(operatorPages(readiness, contentType, metrics))
  return app
}
