import type { Db, Tx } from '../db/database.ts'
import { findUserByEmail, insertUser, type UserRow } from './account.store.ts'

export type { UserRow } from './account.store.ts'

/** What the team needs of the people that it is made of. */
export const userByEmail = (db: Db, email: string): Promise<UserRow | undefined> => findUserByEmail(db, email)

/** Undefined when the email is known already. */
export const addUser = (tx: Tx, email: string, passwordHash: string): Promise<number | undefined> =>
  insertUser(tx, email, passwordHash)
