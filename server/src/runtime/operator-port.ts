import type { FastifyInstance } from 'fastify'
import type { Readiness } from '../http/readiness.ts'
import type { Context } from './context.ts'
import { listenOn } from './listen-on.ts'

/** Opens the separate port for /metrics, /readyz and /healthz, if one is set. In a group the primary does so for all processes. */
export async function openOperatorPort(
  { settings, log }: Context,
  readiness: Readiness,
  metrics: () => Promise<string>,
): Promise<FastifyInstance | undefined> {
  const { TRIBUTARY_OPERATOR_PORT: port, TRIBUTARY_OPERATOR_HOST: host } = settings
  if (port === undefined) return undefined
  const [{ buildOperatorApp }, { Registry }] = await Promise.all([
    import('../http/operator-app.ts'),
    import('prom-client'),
  ])
  const app = await buildOperatorApp(log, readiness, Registry.PROMETHEUS_CONTENT_TYPE, metrics)
  await listenOn(app, host, 'TRIBUTARY_OPERATOR_PORT', port, 'TRIBUTARY_OPERATOR_HOST')
  return app
}
