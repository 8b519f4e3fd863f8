export const settings = {
  title: 'Settings',
  name: 'Name',
  email: 'Email address',
  emailText: 'You sign in with this email. Contact the company to change it.',
  paypal: 'PayPal address',
  paypalText: 'Your payouts are sent here.',
  noPaypal: 'Not set',
  change: 'Change PayPal address',
  fresh: 'Sign in again to continue',
  freshText:
    "This changes where your money goes, so we need to confirm it's you. We'll email you a sign-in link; use it and return to this page.",
  sendLink: 'Send sign-in link',
  linkSent: 'Check your inbox. Open the sign-in link, then return to this page.',
  linkByCompany: (company: string) =>
    `This changes where your money goes, so we need to confirm it's you. Open the partner portal again from your ${company} account, then return to this page.`,
  notified: "We'll notify your sign-in email and your previous PayPal address.",
  remove: 'Leave empty to remove it.',
  digest: 'Monthly digest',
  digestText: 'An email on the first of each month with your clicks, conversions and earnings.',
  signOut: 'Sign out',
  signOutEverywhere: 'Sign out on all devices',
} as const
