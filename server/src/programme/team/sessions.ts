import type { SessionInfo } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { csrfToken, newLinkToken, sha256 } from '../../kit/tokens.ts'
import type { UserRow } from '../accounts/account.store.ts'
import { accountsOf, findSession, insertSession, type SessionRow, touchSession } from './session.store.ts'

/** The client that a user signs in from. */
export interface Visitor {
  address: string
  userAgent: string | null
}

/** Starts a session under a new token (against session fixation), unless the user's password has changed since it was verified. */
export async function startSession(db: Db, user: UserRow, visitor: Visitor): Promise<string> {
  const token = newLinkToken()
  const isStarted = await insertSession(db, user, {
    tokenHash: sha256(token),
    address: visitor.address,
    userAgent: visitor.userAgent?.slice(0, 300) ?? null,
  })
  if (!isStarted)
    throw new DomainError('unauthorized', 'Your password was just changed. Sign in with the new one.')
  return token
}

/** The user of a session, and whether this visit has renewed it; undefined when it has ended. */
export async function openSession(
  db: Db,
  token: string,
  accountId: number | null,
): Promise<(SessionRow & { isRenewed: boolean }) | undefined> {
  const hash = sha256(token)
  const session = await findSession(db, hash, accountId)
  return session && { ...session, isRenewed: await touchSession(db, hash) }
}

export async function describeSession(db: Db, token: string, session: SessionRow): Promise<SessionInfo> {
  return {
    user: { id: session.user_id, email: session.email, name: session.name },
    accounts: await accountsOf(db, session.user_id),
    csrf_token: csrfToken(token),
  }
}
