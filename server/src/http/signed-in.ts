import type { FastifyRequest } from 'fastify'
import type { Db } from '../db/database.ts'
import { DomainError } from '../kit/domain-error.ts'
import { csrfToken } from '../kit/tokens.ts'
import { openSession } from '../programme/team/sessions.ts'
import { readCookie } from './session-cookie.ts'

export const SESSION_COOKIE = 'tributary'

/** Who is calling. Every change also proves that our page makes it. */
export async function signedIn(request: FastifyRequest, db: Db, accountId: number) {
  const token = readCookie(request, SESSION_COOKIE)
  const session = token === undefined ? undefined : await openSession(db, token, accountId)
  if (!session || token === undefined) throw new DomainError('unauthorized', 'Sign in first.')
  if (request.method !== 'GET' && request.headers['tributary-csrf'] !== csrfToken(token))
    throw new DomainError('unauthorized', 'The page is out of date. Load it again.')
  return { ...session, token }
}
