import type { FastifyRequest } from 'fastify'
import { DomainError } from '../../kit/domain-error.ts'
import { csrfToken } from '../../kit/tokens.ts'
import { readCookie } from './session-cookie.ts'

/** The session in a page's cookie, the first of these that has one. A change also needs the CSRF token. */
export async function pageSession<Session extends object>(
  request: FastifyRequest,
  cookies: readonly string[],
  open: (token: string) => Promise<Session | undefined>,
): Promise<Session & { token: string }> {
  for (const cookie of cookies) {
    const token = readCookie(request, cookie)
    const session = token === undefined ? undefined : await open(token)
    if (!session || token === undefined) continue
    if (request.method !== 'GET' && request.headers['tributary-csrf'] !== csrfToken(token))
      throw new DomainError('unauthorized', 'This page is out of date. Reload it and try again.')
    return { ...session, token }
  }
  throw new DomainError('unauthorized', 'Sign in first.')
}
