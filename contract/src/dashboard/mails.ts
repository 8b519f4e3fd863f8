/** Emails to affiliates that a company can turn off, in the order affiliates get them. Plain data, as the pages import it too. */
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

/** Always sent: otherwise an attacker who changes an address could also turn off the email that reports it. */
export const requiredMails = ['paypal_changed', 'email_changed'] as const

/** Every email to affiliates. */
export const affiliateMails = [...optionalMails, ...requiredMails] as const
export type AffiliateMail = (typeof affiliateMails)[number]

export const mailStatuses = ['pending', 'sent', 'failed', 'kept'] as const
