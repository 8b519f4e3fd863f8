import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Inbox, RefusedEvent } from '../connectors/accept-event.ts'
import type { InboxMetrics, RefusalReason } from '../connectors/inbox-metrics.ts'
import type { Services } from '../db/services.ts'
import { DomainError } from '../kit/domain-error.ts'
import { idFrom } from '../kit/path-id.ts'
import { withBody } from './request/read-body.ts'
import { whenGone } from './response/when-gone.ts'

/** Larger than any event of a provider. */
const LARGEST_EVENT_BYTES = 1024 * 1024

export const CONNECT_PREFIX = '/connect/'

const reasons: Partial<Record<string, RefusalReason>> = {
  not_found: 'unknown_connector',
  payload_too_large: 'too_large',
  unavailable: 'overloaded',
}

function reasonOf(error: unknown): RefusalReason {
  if (error instanceof RefusedEvent) return error.reason
  // What is left is about the body: its shape or its encoding.
  return error instanceof DomainError ? (reasons[error.code] ?? 'malformed') : 'error'
}

/** The webhook URLs of billing connectors. A signature over the raw body proves where an event comes from. */
export function connectRoutes({ db, secrets }: Services, metrics: InboxMetrics, hasOthers: () => boolean) {
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      metrics.refused(reasonOf(error))
      throw error
    }
  }
  return async function register(app: FastifyInstance): Promise<void> {
    const inbox = new Inbox(db, secrets, hasOthers)
    const named = (request: FastifyRequest) => {
      const { provider, id } = request.params as { provider: string; id: string }
      return { provider, connectorId: idFrom(id) }
    }
    app.removeAllContentTypeParsers()
    // Raw, whatever the type: the signature covers the bytes as they were sent.
    app.addContentTypeParser('*', (request: FastifyRequest) =>
      counted(() => withBody(request, bytes => bytes)),
    )
    app.route({
      method: 'POST',
      url: `${CONNECT_PREFIX}:provider/:id`,
      bodyLimit: LARGEST_EVENT_BYTES,
      async onRequest(request) {
        await counted(async () => {
          const { provider, connectorId } = named(request)
          await inbox.find(provider, connectorId)
        })
      },
      async handler(request, reply) {
        const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        await counted(async () => {
          const signal = whenGone(reply)
          const { isNew } = await inbox.accept({
            ...named(request),
            headers: request.headers,
            rawBody,
            signal,
          })
          metrics.accepted(isNew)
        })
        return reply.header('Cache-Control', 'no-store').send({ received: true })
      },
    })
  }
}
