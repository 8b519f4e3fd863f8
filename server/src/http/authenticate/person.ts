import { may, type Permission, type Role } from '@tributary/contract/dashboard'
import type { FastifyRequest } from 'fastify'
import type { Db } from '../../db/database.ts'
import { DomainError, notFound } from '../../kit/domain-error.ts'
import { idFrom } from '../../kit/path-id.ts'
import { openSession } from '../../programme/team/sessions.ts'
import { pageSession } from './page-session.ts'

export const SESSION_COOKIE = 'tributary'

const sessionIn = (request: FastifyRequest, db: Db, accountId: number | null) =>
  pageSession(request, SESSION_COOKIE, token => openSession(db, token, accountId))

/** Lets in a person who is signed in, whatever accounts they belong to. */
export const person = (db: Db) => (request: FastifyRequest) => sessionIn(request, db, null)

/** Lets in a person by session and role in the account that the path names. */
export const member = (db: Db, permission: Permission) => async (request: FastifyRequest) => {
  const accountId = idFrom((request.params as { account: string }).account)
  const { role, ...session } = await sessionIn(request, db, accountId)
  // A stranger to the account learns nothing of it, not even that it exists.
  if (role === null) throw notFound('account')
  request.accountId = accountId
  assertMay(role, permission)
  return { ...session, role, accountId }
}

function assertMay(role: Role, permission: Permission): void {
  if (!may(role, permission))
    throw new DomainError(
      'forbidden',
      `Your role, ${role}, does not allow this. Ask an owner of the account.`,
    )
}
