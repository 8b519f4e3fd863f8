import type { Rank } from '../../kit/ranked-turns.ts'
import type { UserRow } from '../accounts/account.store.ts'
import { hashPassword, verifyPassword } from '../accounts/password.ts'

/** Verified for unknown emails, so that the response takes as long as for known ones. */
let nobodysHash: Promise<string> | undefined

/** Verifies a user's password. Takes the same time if there is no user. */
export async function isPasswordOf(
  user: UserRow | undefined,
  password: string,
  rank: Rank,
): Promise<boolean> {
  nobodysHash ??= hashPassword('nobody has this password')
  const isRight = await verifyPassword(user?.password_hash ?? (await nobodysHash), password, rank)
  return user !== undefined && isRight
}
