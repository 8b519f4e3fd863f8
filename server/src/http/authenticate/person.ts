import { may, type Permission, type Role } from '@tributary/contract/dashboard'
import type { FastifyRequest } from 'fastify'
import type { Db } from '../../db/database.ts'
import { DomainError, notFound } from '../../kit/domain-error.ts'
import { idFrom } from '../../kit/path-id.ts'
import { openSession } from '../../programme/team/sessions.ts'
import { pageSession } from './page-session.ts'

export const SESSION_COOKIE = 'tributary'

const sessionIn = (request: FastifyRequest, db: Db, accountId: number | null) =>
  pageSession(request, [SESSION_COOKIE], token => openSession(db, token, accountId))

/** Admits a signed-in user, whatever accounts they belong to. */
export const person = (db: Db) => (request: FastifyRequest) => sessionIn(request, db, null)

/** Admits a user by session and by role in the account named in the path. */
export const member = (db: Db, permission: Permission) => async (request: FastifyRequest) => {
  const accountId = idFrom((request.params as { account: string }).account)
  const { role, ...session } = await sessionIn(request, db, accountId)
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
