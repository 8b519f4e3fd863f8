/** Why a billing event is in its state: a code and its parameters. */
export interface BillingReason {
  code: string
  params?: Record<string, string>
}

type Words = (params: Record<string, string>) => string

const words: Record<string, Words> = {
  unknown_type: ({ type }) => `Events of type ${type} are not needed`,
  test_mode: () => 'Test mode',
  zero_amount: () => 'Amount is 0',
  tax_only: () => 'Only taxes were refunded, and commissions are based on net amounts',
  no_referral: ({ customer }) => `Customer ${customer} has no referral`,
  no_evidence: () => 'No click, token or coupon code of an affiliate',
  not_credited: ({ because }) => `No affiliate was credited: ${because}`,
  not_final: ({ status }) => `Not final yet: the status is ${status}`,
  reported_by_other: ({ by }) => `Already covered by ${by}`,
  credited_to_balance: () => 'The credit reduces later invoices',
  nothing_left: () => 'Nothing changed: the refunds known so far already cover it',
  incomplete: ({ field }) => `The event has no usable ${field}`,
  waits_for: ({ for: what }) => `Waiting for ${what}`,
  error: ({ message }) => message as string,
}

/** The reason in words. */
export const billingReasonText = ({ code, params = {} }: BillingReason): string =>
  Object.hasOwn(words, code) ? (words[code] as Words)(params) : code
