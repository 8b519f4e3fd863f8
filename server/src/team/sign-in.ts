import { hashPassword, verifyPassword } from '../accounts/password.ts'
import { userByEmail } from '../accounts/users.ts'
import type { Db } from '../db/database.ts'
import { DomainError } from '../kit/domain-error.ts'

const wrong = () => new DomainError('unauthorized', 'The email address or the password is wrong.')

/** Verified where nobody has the address, so that the answer takes as long as for somebody who has. */
let nobodysHash: Promise<string> | undefined

/** Who signs in with these. The answer never tells which of the two was wrong. */
export async function checkPassword(db: Db, email: string, password: string): Promise<number> {
  const user = await userByEmail(db, email)
  nobodysHash ??= hashPassword('nobody has this password')
  const isRight = await verifyPassword(user?.password_hash ?? (await nobodysHash), password)
  if (!user || !isRight) throw wrong()
  return user.id
}
