import type { FastifyRequest } from 'fastify'
import { DomainError } from '../kit/domain-error.ts'
import { parseUrl } from '../kit/url.ts'

/** A browser says from which site a change comes, and no page can make it lie. */
export function assertSameOrigin(request: FastifyRequest, baseUrl: string): void {
  const origin = parseUrl(request.headers.origin ?? '')
  const own = [request.host, parseUrl(baseUrl)?.host]
  if (!origin || !own.includes(origin.host))
    throw new DomainError('unauthorized', 'The request does not come from a page of this service.')
}
