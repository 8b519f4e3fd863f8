/** The pages of people who aren't signed in: sign-in, set-up, invitations and password resets. */
export const texts = {
  product: 'Tributary',
  fields: {
    email: 'Email',
    name: 'Name',
    password: 'Password',
    newPassword: 'New password',
    passwordHint: 'At least 8 characters',
  },
  signIn: {
    title: 'Sign in',
    submit: 'Sign in',
    forgot: 'Forgot your password?',
    back: 'Back to sign in',
  },
  forgot: {
    title: 'Forgot your password?',
    note: "We'll email you a link to set a new one.",
    submit: 'Send link',
    sentTitle: 'Check your inbox',
    noEmailTitle: "Email isn't set up",
    noEmail:
      'This server sends no emails. Ask its operator to run `tributary user reset --email` with your address, and open the link it prints.',
    sent: "If this address has an account, we've sent it a link to set a new password.",
  },
  reset: {
    title: 'Set a new password',
    note: "You'll be signed out on all devices.",
    submit: 'Set password',
    expired: 'This link is no longer valid',
    newLink: 'Get a new link',
  },
  invitation: {
    title: 'Invitation',
    join: (company: string) => `Join ${company}`,
    invited: (email: string, role: string) => `Invited as ${email} (${role})`,
    existingUser: 'You already have a login here. Enter its password to accept.',
    submit: 'Accept invitation',
    expired: 'This invitation is no longer valid',
    askAgain: 'Ask an owner of the account for a new one. Already on the team?',
  },
  expiredLink: 'It has expired or was already used.',
  setUp: {
    title: 'Set up Tributary',
    note: "Create the first account. You'll be its owner.",
    code: 'Setup code',
    codeHint: 'Printed by the server when it started.',
    codeExample: 'ABCD-EFGH-JKMN',
    company: 'Company',
    timeZone: 'Used for reports and payout cut-offs. You can change it later.',
    submit: 'Create account',
  },
}
