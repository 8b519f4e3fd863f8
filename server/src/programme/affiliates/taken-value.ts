import type { Tx } from '../../db/database.ts'
import { brokenConstraint } from '../../db/failures.ts'
import { conflict } from '../../kit/domain-error.ts'
import { findAliases } from './token-alias.store.ts'

const fieldOfConstraint: Record<string, string> = {
  affiliates_email_taken: 'email',
  affiliates_token_taken: 'token',
  affiliates_coupon_code_taken: 'coupon_code',
}

/** An alias of another affiliate is taken too: links that were shared with it belong to them. */
export async function refuseAlias(tx: Tx, accountId: number, token: string): Promise<void> {
  const aliases = await findAliases(tx, accountId, [token])
  if (aliases.length > 0) throw conflict('token is taken by another affiliate, who had it before.')
}

/** Turns a violated unique constraint into a conflict that names the field; rethrows any other error. */
export function refuseTakenValue(error: unknown): never {
  const field = fieldOfConstraint[brokenConstraint(error) ?? '']
  throw field ? conflict(`${field} is taken by another affiliate.`) : error
}
