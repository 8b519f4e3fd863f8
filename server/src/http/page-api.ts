import cookies from '@fastify/cookie'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../kit/domain-error.ts'
import { parseUrl } from '../kit/url.ts'
import { acceptJsonOnly } from './request/body.ts'

const changesNothing = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

/** CSRF defence: browsers set the Origin header on changes, and pages cannot forge it. */
function assertSameOrigin(request: FastifyRequest, baseUrl: string): void {
  const origin = parseUrl(request.headers.origin ?? '')
  const own = [request.host, parseUrl(baseUrl)?.host]
  if (!origin || !own.includes(origin.host))
    throw new DomainError('unauthorized', 'The request does not come from a page of this service.')
}

/** The API of the dashboard and the portal: JSON only, and changes only from the same origin. */
export async function acceptPages(api: FastifyInstance, baseUrl: string): Promise<void> {
  await api.register(cookies)
  acceptJsonOnly(api)
  api.addHook('onRequest', async request => {
    if (!changesNothing(request)) assertSameOrigin(request, baseUrl)
  })
  // Otherwise an unknown call would get the HTML page.
  api.get('/*', async () => {
    throw new DomainError('not_found', 'Unknown path.')
  })
}
