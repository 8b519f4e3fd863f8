import { may, type Permission, type Role } from '@tributary/contract/dashboard'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../../db/database.ts'
import { DomainError, notFound } from '../../kit/domain-error.ts'
import { idFrom } from '../../kit/path-id.ts'
import { openSession } from '../../programme/team/sessions.ts'
import { pageSession } from './page-session.ts'
import { setCookie } from './session-cookie.ts'

export const SESSION_COOKIE = 'tributary'

/** The browser keeps the cookie for as long as the session is renewed. */
async function sessionIn(request: FastifyRequest, reply: FastifyReply, db: Db, accountId: number | null) {
  const { isRenewed, ...session } = await pageSession(request, [SESSION_COOKIE], token =>
    openSession(db, token, accountId),
  )
  if (isRenewed) setCookie(request, reply, SESSION_COOKIE, session.token)
  return session
}

/** Admits a signed-in user, whatever accounts they belong to. */
export const person = (db: Db) => (request: FastifyRequest, reply: FastifyReply) =>
  sessionIn(request, reply, db, null)

/** Admits a user by session and by role in the account named in the path. */
export const member =
  (db: Db, permission: Permission) => async (request: FastifyRequest, reply: FastifyReply) => {
    const accountId = idFrom((request.params as { account: string }).account)
    const { role, ...session } = await sessionIn(request, reply, db, accountId)
    // A non-member must not learn that the account exists.
    if (role === null) throw notFound('account')
    request.accountId = accountId
    assertMay(role, permission)
    return { ...session, role, accountId }
  }

function assertMay(role: Role, permission: Permission): void {
  if (!may(role, permission))
    throw new DomainError('forbidden', `Your role (${role}) does not allow this. Ask an account owner.`)
}
