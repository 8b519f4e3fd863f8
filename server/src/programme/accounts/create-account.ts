import { emailPattern } from '@tributary/contract'
import { digestKinds } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { conflict, invalid } from '../../kit/domain-error.ts'
import { isSlug, slugFrom } from '../../kit/slug.ts'
import { turnOnDigest } from '../digests/digest.store.ts'
import { findUserByEmail, insertAccount, insertOwner, insertUser } from './account.store.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { storedTimeZone } from './time-zone.ts'
import { assertName } from './update-account.ts'

export interface NewAccount {
  name: string
  email: string
  password: string
  slug?: string | undefined
  /** UTC when left out. */
  timeZone?: string | undefined
}

const emailAddress = new RegExp(emailPattern, 'u')

function assertValid({ name, email, password, slug }: NewAccount): void {
  assertName(name)
  if (email.length > 254 || !emailAddress.test(email)) throw invalid('email', 'must be an email address')
  if (password.length < 8 || password.length > 1024)
    throw invalid('password', 'must have 8 to 1024 characters')
  if (slug !== undefined && !isSlug(slug))
    throw invalid('slug', 'must be at most 64 characters: a-z, 0-9 and single hyphens between them')
}

/** Uses the requested slug, or the first free one derived from the name: acme, acme-2, acme-3 … */
async function insertWithFreeSlug(
  tx: Tx,
  { name, slug, timeZone = 'UTC' }: NewAccount,
): Promise<{ id: number; slug: string }> {
  const wanted = slug ?? slugFrom(name, 'account')
  for (let attempt = 1; ; attempt++) {
    const candidate = attempt === 1 ? wanted : `${wanted}-${attempt}`
    const id = await insertAccount(tx, { name, slug: candidate, timeZone })
    if (id !== undefined) return { id, slug: candidate }
    if (slug !== undefined) throw conflict(`slug "${slug}" is taken by another account.`)
  }
}

/** An existing user must give their current password, and then owns another account. */
async function ownerOf(tx: Tx, { email, password }: NewAccount, passwordHash: string): Promise<number> {
  const inserted = await insertUser(tx, email, passwordHash)
  if (inserted !== undefined) return inserted
  const known = await findUserByEmail(tx, email)
  if (!known || !(await verifyPassword(known.password_hash, password)))
    throw conflict('email belongs to an existing user with a different password. Use their current password.')
  return known.id
}

/** Creates an account and its owner. */
export async function createAccount(
  db: Db,
  account: NewAccount,
): Promise<{ account_id: number; slug: string; user_id: number }> {
  assertValid(account)
  const { timeZone } = account
  const stored =
    timeZone === undefined ? account : { ...account, timeZone: await storedTimeZone(db, timeZone) }
  // Hashing is slow on purpose, so it is done before the transaction begins.
  const passwordHash = await hashPassword(account.password)
  return db.transaction(async tx => {
    const { id, slug } = await insertWithFreeSlug(tx, stored)
    const userId = await ownerOf(tx, account, passwordHash)
    await insertOwner(tx, id, userId)
    // That of affiliates too: a new account has none yet, and sees the switch before it does.
    for (const kind of digestKinds) await turnOnDigest(tx, id, kind)
    return { account_id: id, slug, user_id: userId }
  })
}
