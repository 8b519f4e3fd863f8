import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { baseUrl } from '../config.ts'
import { argon2 } from '../programme/accounts/password.ts'
import type { Context } from './context.ts'
import type { GroupMember } from './group-member.ts'
import { listenOn } from './listen-on.ts'
import { openOperatorPort } from './operator-port.ts'
import { boundYoungGeneration } from './young-generation.ts'

const DRAIN_MS = 10_000
const LET_GO_EVERY_MS = 50

/** Finishes requests in flight and accepts no new ones; connections still open at the deadline are closed. */
async function drain(app: FastifyInstance): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  // A keep-alive connection would keep the process running after its last response.
  const letGo = setInterval(() => app.server.closeIdleConnections(), LET_GO_EVERY_MS)
  await app.close()
  clearInterval(letGo)
  clearTimeout(cutOff)
}

export interface Service {
  url: string
  /** Drains requests and finishes background work in flight. With `letGoMs`, other members of its group keep serving. */
  stop(letGoMs?: number): Promise<void>
}

async function assemble(
  { settings, log, database, secrets }: Context,
  prepared: Promise<unknown>,
  member: GroupMember | undefined,
) {
  // Loaded here only: other commands should not wait for what they don't use.
  const [{ buildApp }, { Readiness }, { Registry }] = await Promise.all([
    import('../http/app.ts'),
    import('../http/readiness.ts'),
    import('prom-client'),
  ])
  const services = { db: database, secrets, settings, baseUrl: baseUrl(settings) }
  const registry = new Registry()
  const readiness = new Readiness(database)
  const shared = member && { metrics: member.metrics, countGuesses: member.countGuesses }
  const app = await buildApp({ services, log, registry, readiness, prepared, ...shared })
  // Before the database is prepared, for which it waits: compiling the routes takes as long as connecting.
  await app.ready()
  return { app, services, registry, readiness }
}

/** Long enough for the first requests, and well before an operator can have updated the installation. */
const LOAD_REST_AFTER_MS = 100

/**
 * Loads what a later request needs: password hashing from node_modules, which an update removes, and the compilers of schemas. Then bounds
 * the young generation, which changes an option of V8: a part that is loaded later is compiled anew, instead of loaded as bytecode.
 */
function loadRest(log: Logger): void {
  const load = async () => {
    const { loadSchemaCompilers } = await import('../http/schema-compilers.ts')
    await Promise.all([argon2(), loadSchemaCompilers()])
  }
  setTimeout(() => {
    load()
      .catch(error => log.warn({ err: error }, 'a part of the program failed to load'))
      .finally(boundYoungGeneration)
  }, LOAD_REST_AFTER_MS).unref()
}

/** Listens once the database is prepared and starts background work; in a group, as one of its members. */
export async function startService(
  context: Context,
  prepared: Promise<unknown>,
  member?: GroupMember,
): Promise<Service> {
  const { settings, log } = context
  // Assembling the app takes about as long as PostgreSQL takes to start.
  const [{ app, services, registry, readiness }, background] = await Promise.all([
    assemble(context, prepared, member),
    import('./background/background.ts'),
    prepared,
  ])
  await listenOn(app, settings.HOST, 'PORT', settings.PORT)
  // With PORT=0 the port is known only now.
  services.baseUrl = baseUrl(settings, (app.server.address() as AddressInfo).port)
  const opening = member ? undefined : openOperatorPort(context, readiness, () => registry.metrics())
  const operator = await opening?.catch(async error => {
    // An open port keeps the process running.
    await drain(app)
    throw error
  })
  const work = background.startBackground({ ...context, registry, address: services.baseUrl })
  member?.serving(registry)
  loadRest(log)
  return {
    url: services.baseUrl,
    async stop(letGoMs) {
      readiness.isLettingGo = true
      // If other members keep serving on the same port, it stays ready for health checks.
      readiness.isDraining = letGoMs === undefined
      // Load balancers check readiness and send requests elsewhere before the port is closed.
      await sleep(letGoMs ?? settings.TRIBUTARY_DRAIN_DELAY_SECONDS * 1000)
      await drain(app)
      await work.stop()
      await operator?.close()
    },
  }
}
