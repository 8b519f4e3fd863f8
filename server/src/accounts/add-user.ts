import type { Tx } from '../db/database.ts'
import { insertUser } from './account.store.ts'

export const addUser = (tx: Tx, email: string, passwordHash: string): Promise<number | undefined> =>
  insertUser(tx, email, passwordHash)
