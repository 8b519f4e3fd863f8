import type { Db } from '../db/database.ts'
import { anyAccountExists } from './account.store.ts'

export const anAccountExists = (db: Db): Promise<boolean> => anyAccountExists(db)
