import type { FastifyReply } from 'fastify'

/** Fires when the client has disconnected, or has the whole response. */
export function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  if (reply.raw.closed || reply.raw.destroyed) gone.abort()
  return gone.signal
}
