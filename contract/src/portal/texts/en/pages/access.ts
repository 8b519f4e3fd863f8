export const signIn = {
  title: 'Sign in',
  text: "We'll email you a sign-in link. No password needed.",
  email: 'Email address',
  button: 'Send sign-in link',
  sent: 'Check your inbox',
  sentText: (email: string) =>
    `If ${email} belongs to an affiliate, we've sent a sign-in link. It works once and expires in 15 minutes.`,
  again: 'Use another email',
  byCompany: (company: string) => `Open the partner portal from your ${company} account.`,
  askCompany: (company: string) => `Sign-in links can't be emailed at the moment. Ask ${company} for one.`,
  orJoin: 'New here?',
  join: 'Join',
} as const

export const join = {
  title: (company: string) => `Join the ${company} affiliate programme`,
  text: 'Share your link and earn when people buy.',
  none: 'No open campaigns',
  noneText: 'Contact the company to ask about joining.',
  campaign: 'Campaign',
  byInvitation: 'By invitation',
  byInvitationText: 'Contact the company if you want to join one of these.',
  name: 'Your name',
  email: 'Email address',
  button: 'Join',
  sent: 'Check your inbox',
  sentText: (email: string) => `We sent an email to ${email}. Open it to confirm your address and join.`,
  noEmails: "You can't join online at the moment",
  noEmailsText: (company: string) =>
    `Joining takes an email to confirm your address, and emails can't be sent right now. Ask ${company} to add you.`,
  accept: (company: string) => `By joining, you accept ${company}'s terms.`,
  readTerms: 'Read the terms',
  known: 'Already an affiliate?',
  signIn: 'Sign in',
} as const

/** What a campaign asks of people who join it. */
export const joinForm = {
  choose: 'Choose…',
  urlExample: 'https://',
  urlHint: 'Start with https://',
  terms: 'Terms',
  accept: 'I accept the terms of this campaign',
  read: 'Read the terms',
} as const

export const application = {
  title: 'Your application is in review',
  text: (company: string, sendsEmails: boolean) =>
    `${company} reviews every application. ${sendsEmails ? "We'll email you when there's a decision." : 'Check back here for the decision.'} Your links earn once you're approved.`,
  since: (date: string) => `Applied on ${date}`,
  campaigns: 'Campaigns',
} as const
