import type { Rank } from '../../kit/ranked-turns.ts'
import type { UserRow } from '../accounts/account.store.ts'
import { hashPassword, verifyPassword } from '../accounts/password.ts'

/** Verified for unknown emails, so that the response takes as long as for known ones. */
let dummyHash: Promise<string> | undefined

/** Verifies a user's password. Takes the same time if there is no user. */
export async function isPasswordOf(
  user: UserRow | undefined,
  password: string,
  rank: Rank,
): Promise<boolean> {
  dummyHash ??= hashPassword('no user has this password')
  const isValid = await verifyPassword(user?.password_hash ?? (await dummyHash), password, rank)
  return user !== undefined && isValid
}
