import type { Db } from '../db/database.ts'
import { findUserByEmail, type UserRow } from './account.store.ts'

export const userByEmail = (db: Db, email: string): Promise<UserRow | undefined> => findUserByEmail(db, email)
