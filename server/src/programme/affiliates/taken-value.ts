import { brokenConstraint } from '../../db/failures.ts'
import { conflict } from '../../kit/domain-error.ts'

const fieldOfConstraint: Record<string, string> = {
  affiliates_email_taken: 'email',
  affiliates_token_taken: 'token',
  affiliates_coupon_code_taken: 'coupon_code',
}

/** Turns a violated unique constraint into a conflict that names the field; rethrows any other error. */
export function refuseTakenValue(error: unknown): never {
  const field = fieldOfConstraint[brokenConstraint(error) ?? '']
  throw field ? conflict(`${field} is taken by another affiliate.`) : error
}
