/** Every mail that affiliates get, in the order in which they meet them. Plain data: the pages use it too. */
export const affiliateMails = [
  'sign_in_link',
  'joined',
  'approved',
  'rejected',
  'first_commission',
  'payout_sent',
  'payout_failed',
  'paypal_changed',
  'email_changed',
] as const
export type AffiliateMail = (typeof affiliateMails)[number]
