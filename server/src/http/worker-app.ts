import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { createBoundedServer } from './connections.ts'
import { handleError } from './error-handler.ts'
import { operatorPages } from './operator-pages.ts'
import type { Readiness } from './readiness.ts'

/** All that a process shows which serves nobody: its state. */
export async function buildWorkerApp(
  log: Logger,
  readiness: Readiness,
  registry: Registry,
): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    serverFactory: handler => createBoundedServer(handler),
    forceCloseConnections: true,
  }) as unknown as FastifyInstance
  app.setErrorHandler(handleError)
  await app.register(operatorPages(readiness, registry.contentType, () => registry.metrics()))
  return app
}
