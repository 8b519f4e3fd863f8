import { brokenConstraint } from '../../db/failures.ts'
import { conflict } from '../../kit/domain-error.ts'

const fieldOfConstraint: Record<string, string> = {
  affiliates_email_taken: 'email',
  affiliates_token_taken: 'token',
  affiliates_coupon_code_taken: 'coupon_code',
}

/** Says which value another affiliate holds already; any other error passes unchanged. */
export function refuseTakenValue(error: unknown): never {
  const field = fieldOfConstraint[brokenConstraint(error) ?? '']
  throw field ? conflict(`${field} is taken by another affiliate.`) : error
}
