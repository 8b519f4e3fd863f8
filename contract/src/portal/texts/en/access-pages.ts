/** The pages that emailed and minted links open. They work without scripts. */
export const accessPages = {
  signIn: {
    title: (company: string) => `Sign in to ${company}`,
    opening: 'Signing you in… If nothing happens, click the button.',
    ready: 'Click the button to finish signing in.',
    button: 'Sign in',
  },
  view: {
    title: (company: string) => `View the ${company} portal`,
    opening: 'Opening the portal… If nothing happens, click the button.',
    button: 'Open portal',
  },
  confirm: {
    title: (company: string) => `Join ${company}`,
    ready: 'Confirm your email address to join.',
    button: 'Confirm and join',
    answers: 'Your answers',
    terms: 'Terms',
    readTerms: 'Read the terms',
    accept: (version: number, campaign: string) =>
      `By joining, you accept version ${version} of the terms of “${campaign}”.`,
  },
  unsubscribe: {
    title: 'Unsubscribe from the monthly digest',
    text: (company: string) =>
      `You'll no longer get a monthly email about your results with ${company}. Emails about your account and your payouts still arrive.`,
    button: 'Unsubscribe',
    doneTitle: "You're unsubscribed",
    doneText: 'You can subscribe again in the settings of the partner portal.',
    open: 'Open partner portal',
  },
  spent: {
    title: 'This link is no longer valid',
    text: 'Links work once and only for a short time. Request a new one to continue.',
    button: 'Get a new link',
  },
} as const
