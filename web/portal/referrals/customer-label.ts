import { pages } from '@tributary/contract/portal/texts'

/** A name for a referred customer: what the company shows of it, or a number where customers could not be distinguished by that. */
export const customerLabel = (customer: string | null, referralId: number): string =>
  customer !== null && /[^•]/.test(customer) ? customer : pages.common.customer(referralId)
