import type { Db, Tx } from '../../db/database.ts'
import { DomainError, invalid, notFound } from '../../kit/domain-error.ts'
import { LimitedLookup } from '../../kit/shared-lookup.ts'
import { isLinkToken, newLinkToken, sha256 } from '../../kit/tokens.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { findUserByEmail, type UserRow } from '../accounts/account.store.ts'
import { hashPassword, verifyPassword } from '../accounts/password.ts'
import { deleteSessionsOf } from './session.store.ts'
import {
  countResets,
  deleteResetsOf,
  findPasswordHash,
  findResets,
  insertReset,
  lockUser,
  replacePassword,
  setPassword,
  takeReset,
} from './user.store.ts'

export const RESET_MINUTES = 60
/** Limits open links per user, so that the form can't be used to flood an inbox. */
const LINKS_AT_ONCE = 5

async function newResetLink(tx: Tx, baseUrl: string, userId: number): Promise<string> {
  const token = newLinkToken()
  await insertReset(tx, userId, sha256(token), RESET_MINUTES)
  return `${baseUrl}/dashboard/reset#${token}`
}

/** Creates a password reset link for the user with this email; undefined if there is none. */
export async function makeResetLink(db: Db, baseUrl: string, email: string): Promise<string | undefined> {
  const user = await findUserByEmail(db, email)
  return user && db.transaction(tx => newResetLink(tx, baseUrl, user.id))
}

/** Emails a reset link to the address on record. The response does not disclose whether the address is known. */
export async function requestReset(db: Db, baseUrl: string, email: string): Promise<void> {
  await db.transaction(async tx => {
    const user = await lockUser(tx, email)
    if (user && (await countResets(tx, user.id)) < LINKS_AT_ONCE)
      await writeMail(tx, null, user.email, {
        kind: 'password_reset',
        subject: 'Reset your password',
        lines: [
          'Use the link below to set a new password.',
          "If you didn't request this, you can ignore this email.",
        ],
        action: { label: 'Reset password', url: await newResetLink(tx, baseUrl, user.id) },
        note: `The link works once and expires in ${RESET_MINUTES} minutes.`,
      })
  })
}

const spent = () => new DomainError('invalid_state', 'This link was used or has expired. Request a new one.')

/** Finds open links by the digest of their token. */
export const resetLookup = (db: Db): LimitedLookup<true> =>
  new LimitedLookup(lookups =>
    findResets(
      db,
      lookups.map(({ digest }) => digest),
    ),
  )

/** Refuses an invalid link. Changes nothing. */
export async function assertOpenReset(
  lookup: LimitedLookup<true>,
  token: string,
  isWithinLimit: boolean,
): Promise<void> {
  if (!isLinkToken(token) || !(await lookup.get(sha256(token), isWithinLimit))) throw spent()
}

/** Sets the password and ends every session and reset link of the user, so an intruder is signed out. Returns the user. */
export async function resetPassword(db: Db, token: string, password: string): Promise<UserRow> {
  const passwordHash = await hashPassword(password)
  return db.transaction(async tx => {
    const userId = await takeReset(tx, sha256(token))
    if (userId === undefined) throw spent()
    await setPassword(tx, userId, passwordHash)
    // Under the lock of the user, which a request for another link holds.
    await deleteResetsOf(tx, userId)
    await deleteSessionsOf(tx, userId)
    return { id: userId, password_hash: passwordHash }
  })
}

/** Changes the password, given the current one. All sessions and reset links end; the caller starts a new session of the returned user. */
export async function changePassword(
  db: Db,
  userId: number,
  current: string,
  password: string,
): Promise<UserRow> {
  const known = await findPasswordHash(db, userId)
  if (known === undefined) throw notFound('user')
  if (!(await verifyPassword(known, current))) throw invalid('current', 'is incorrect')
  const passwordHash = await hashPassword(password)
  await db.transaction(async tx => {
    // Only if the verified password is still in place: a concurrent reset wins.
    if (!(await replacePassword(tx, userId, known, passwordHash))) throw invalid('current', 'is incorrect')
    await deleteResetsOf(tx, userId)
    await deleteSessionsOf(tx, userId)
  })
  return { id: userId, password_hash: passwordHash }
}
