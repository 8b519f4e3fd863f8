const VOIDED = 'Commission voided'

/** Describes the clawback of an approved commission that a person voided, with their reason if they share it with the affiliate. */
export const voidDescription = (sharedReason: string | undefined): string =>
  sharedReason ? `${VOIDED}: ${sharedReason}` : VOIDED

/** Other entries of sales are described by the ID of the sale or refund, or by the referral. */
export const isVoidDescription = (description: string | null): boolean =>
  description === VOIDED || (description?.startsWith(`${VOIDED}: `) ?? false)
