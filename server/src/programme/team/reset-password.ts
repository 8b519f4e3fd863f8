import type { Db, Tx } from '../../db/database.ts'
import { DomainError, invalid, notFound } from '../../kit/domain-error.ts'
import { LimitedLookup } from '../../kit/shared-lookup.ts'
import { isLinkToken, newLinkToken, sha256 } from '../../kit/tokens.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { findUserByEmail } from '../accounts/account.store.ts'
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
/** Whoever types somebody's address must not be able to flood them. */
const LINKS_AT_ONCE = 5

async function newResetLink(tx: Tx, baseUrl: string, userId: number): Promise<string> {
  const token = newLinkToken()
  await insertReset(tx, userId, sha256(token), RESET_MINUTES)
  return `${baseUrl}/dashboard/reset#${token}`
}

/** A link by which the person with this address sets a new password; undefined when nobody has it. */
export async function makeResetLink(db: Db, baseUrl: string, email: string): Promise<string | undefined> {
  const user = await findUserByEmail(db, email)
  return user && db.transaction(tx => newResetLink(tx, baseUrl, user.id))
}

/** Mails such a link to the address on record. Nobody learns from the answer whether it is known. */
export async function askForReset(db: Db, baseUrl: string, email: string): Promise<void> {
  await db.transaction(async tx => {
    const user = await lockUser(tx, email)
    if (user && (await countResets(tx, user.id)) < LINKS_AT_ONCE)
      await writeMail(tx, null, user.email, {
        kind: 'password_reset',
        subject: 'Set a new password',
        lines: [
          'Somebody, most likely you, asked to set a new password.',
          'If it was not you, nothing needs to be done.',
        ],
        action: { label: 'Set a new password', url: await newResetLink(tx, baseUrl, user.id) },
        note: `The link works once, within ${RESET_MINUTES} minutes.`,
      })
  })
}

const spent = () =>
  new DomainError('invalid_state', 'This link has been used or is too old. Ask for a new one.')

/** Finds open links by the digest of their token. */
export const resetLookup = (db: Db): LimitedLookup<true> =>
  new LimitedLookup(asked =>
    findResets(
      db,
      asked.map(({ digest }) => digest),
    ),
  )

/** Refuses a link that would not work; looking changes nothing. */
export async function assertOpenReset(
  lookup: LimitedLookup<true>,
  token: string,
  isWithinLimit: boolean,
): Promise<void> {
  if (!isLinkToken(token) || !(await lookup.get(sha256(token), isWithinLimit))) throw spent()
}

/** Sets the password and ends every session and link: whoever had got in is out. Returns whose it is. */
export async function resetPassword(
  db: Db,
  token: string,
  password: string,
): Promise<{ id: number; password_hash: string }> {
  const passwordHash = await hashPassword(password)
  return db.transaction(async tx => {
    const userId = await takeReset(tx, sha256(token))
    if (userId === undefined) throw spent()
    await setPassword(tx, userId, passwordHash)
    await deleteSessionsOf(tx, userId)
    return { id: userId, password_hash: passwordHash }
  })
}

/**
 * Changes the password of somebody who knows the current one. Every session ends, and every link to set another password; the
 * caller starts a new session.
 */
export async function changePassword(
  db: Db,
  userId: number,
  current: string,
  password: string,
): Promise<void> {
  const known = await findPasswordHash(db, userId)
  if (known === undefined) throw notFound('user')
  if (!(await verifyPassword(known, current))) throw invalid('current', 'is not your password')
  const passwordHash = await hashPassword(password)
  await db.transaction(async tx => {
    // The password that was verified is still the one: a reset that came in between wins.
    if (!(await replacePassword(tx, userId, known, passwordHash)))
      throw invalid('current', 'is not your password')
    await deleteResetsOf(tx, userId)
    await deleteSessionsOf(tx, userId)
  })
}
