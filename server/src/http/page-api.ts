import cookies from '@fastify/cookie'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../kit/domain-error.ts'
import { parseUrl } from '../kit/url.ts'
import { acceptJsonOnly } from './request/body.ts'

const changesNothing = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

/** A browser says from which site a change comes, and no page can make it lie. */
function assertSameOrigin(request: FastifyRequest, baseUrl: string): void {
  const origin = parseUrl(request.headers.origin ?? '')
  const own = [request.host, parseUrl(baseUrl)?.host]
  if (!origin || !own.includes(origin.host))
    throw new DomainError('unauthorized', 'The request does not come from a page of this service.')
}

/** The calls of our own pages: in JSON, and a change only from a page of ours. */
export async function acceptPages(api: FastifyInstance, baseUrl: string): Promise<void> {
  await api.register(cookies)
  acceptJsonOnly(api)
  api.addHook('onRequest', async request => {
    if (!changesNothing(request)) assertSameOrigin(request, baseUrl)
  })
  // Otherwise the page itself would be the answer to a call that does not exist.
  api.get('/*', async () => {
    throw new DomainError('not_found', 'There is no such path.')
  })
}
