/** The emails to affiliates that a company can switch off, in the order in which affiliates meet them. Plain data: the pages use it too. */
export const optionalMails = [
  'sign_in_link',
  'joined',
  'approved',
  'rejected',
  'first_commission',
  'payout_sent',
  'payout_failed',
] as const
export type OptionalMail = (typeof optionalMails)[number]

/** Always sent: otherwise whoever changes an address could also silence the notice that reveals it. */
export const requiredMails = ['paypal_changed', 'email_changed'] as const

/** Every email that affiliates get. */
export const affiliateMails = [...optionalMails, ...requiredMails] as const
export type AffiliateMail = (typeof affiliateMails)[number]
