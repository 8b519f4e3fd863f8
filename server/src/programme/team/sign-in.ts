import type { Rank } from '../../kit/ranked-turns.ts'
import type { UserRow } from '../accounts/account.store.ts'
import { hashPassword, verifyPassword } from '../accounts/password.ts'

/** Verified where no one has the email, so that the answer takes as long as for someone who has. */
let nobodysHash: Promise<string> | undefined

/** Whether the password is this user's. Takes as long where there is no user. */
export async function isPasswordOf(
  user: UserRow | undefined,
  password: string,
  rank: Rank,
): Promise<boolean> {
  nobodysHash ??= hashPassword('nobody has this password')
  const isRight = await verifyPassword(user?.password_hash ?? (await nobodysHash), password, rank)
  return user !== undefined && isRight
}
