const IGNORE = "If you didn't request this, you can ignore this email."

/** Each email: its subject, its paragraphs, the label of its button, and a note below it. */
export const emails = {
  sign_in_link: {
    subject: (company: string) => `Sign in to ${company}`,
    lines: (company: string) => [`Use the link below to sign in to the ${company} partner portal.`, IGNORE],
    action: 'Sign in',
    note: (minutes: number) => `The link works once and expires in ${minutes} minutes.`,
  },
  invitation: {
    subject: (company: string) => `${company} invited you to its partner portal`,
    pending: (company: string) => [
      `${company} invited you to its affiliate programme. Sign in to follow your application.`,
    ],
    approved: (company: string) => [
      `${company} invited you to its affiliate programme. Sign in to get your links and to follow your referrals, commissions and payouts.`,
    ],
    action: 'Sign in',
    note: (days: number, portal: string) =>
      `The link works once and expires in ${days} days. You can get a new one at ${portal}/sign-in`,
  },
  confirm_join: {
    subject: (company: string) => `Confirm your email address for ${company}`,
    lines: (company: string, campaign: string) => [
      `Confirm your email address to join “${campaign}” at ${company}.`,
      IGNORE,
    ],
    action: 'Confirm and join',
    note: (hours: number, hasTerms: boolean) =>
      `The link works once and expires in ${hours} hours.${hasTerms ? ' It opens a page with the terms that you accept by joining.' : ''}`,
  },
  joined: {
    subject: (company: string) => `Welcome to ${company}`,
    pending: (company: string, campaign: string) => [
      `Thanks for applying to “${campaign}”. ${company} reviews every application, and we'll email you once yours is decided.`,
      'You can check its status in the partner portal.',
    ],
    approved: (_company: string, campaign: string) => [
      `You've joined “${campaign}”, and your link is ready to share.`,
      'Track your clicks, referrals and commissions in the partner portal.',
    ],
    action: 'Open partner portal',
  },
  approved: {
    subject: (company: string) => `${company} approved your application`,
    lines: (company: string) => [
      `You're now an approved ${company} affiliate, and your links earn commission from now on.`,
    ],
    action: 'Get your link',
  },
  rejected: {
    subject: (company: string) => `Your application to ${company}`,
    lines: (company: string, reason: string | null) => [
      `${company} reviewed your application and decided not to approve it.`,
      ...(reason === null ? [] : [`Reason: ${reason}`]),
      `If you think this is a mistake, contact ${company}.`,
    ],
  },
  first_commission: {
    subject: () => 'You earned your first commission',
    lines: (company: string, amount: string, clearsOn: string | null) => [
      `You earned your first commission with ${company}: ${amount}.`,
      clearsOn === null
        ? "It's payable and will be included in an upcoming payout."
        : `It's on hold in case the customer asks for a refund, and clears on ${clearsOn}. After that, it's payable.`,
    ],
    action: 'View referrals',
  },
  payout_sent: {
    subject: (amount: string) => `${amount} is on its way to you`,
    lines: (company: string, amount: string, address: string | null) => [
      `${company} sent you ${amount}.`,
      ...(address ? [`It was sent to ${address}.`] : []),
      'The partner portal lists the payout and has your statement as PDF and CSV.',
    ],
    action: 'View payouts',
  },
  payout_failed: {
    subject: (amount: string) => `Your payout of ${amount} failed`,
    lines: (company: string, amount: string, reason: string | null) => [
      `${company} tried to pay you ${amount}, but the payment failed.`,
      ...(reason ? [`Reason: ${reason}`] : []),
      'The money is still yours and will be included in the next payout. Check that your PayPal address is correct.',
    ],
    action: 'Check settings',
  },
  payout_returned: {
    subject: (amount: string) => `Your payout of ${amount} came back`,
    lines: (company: string, amount: string, reason: string | null) => [
      `${company} paid you ${amount}, but the payment was returned.`,
      ...(reason ? [`Reason: ${reason}`] : []),
      'The money is still yours and will be included in the next payout. Check that your PayPal address is correct.',
    ],
    action: 'Check settings',
  },
  digest: {
    subject: (company: string, month: string) => `Your ${month} with ${company}`,
    lines: (company: string, month: string) => [
      `Here's what your links for ${company} did in ${month}, compared with the month before.`,
    ],
    performance: 'Performance',
    clicks: 'Clicks',
    conversions: 'Conversions',
    earned: 'Earned',
    money: 'Your money',
    paid: (month: string) => `Paid in ${month}`,
    clawbacks: (month: string) => `Clawbacks in ${month}`,
    adjustments: (month: string) => `Adjustments in ${month}`,
    payable: 'Payable now',
    onHold: 'On hold',
    action: 'Open partner portal',
    reason: (company: string) => `You get this email once a month because you're an affiliate of ${company}.`,
    unsubscribe: 'Unsubscribe',
  },
  paypal_changed: {
    subject: () => 'Your PayPal address was changed',
    lines: (company: string, address: string | null) => [
      address
        ? `${company} now sends your payouts to ${address}.`
        : `Your PayPal address was removed, so ${company} can't send you payouts by PayPal.`,
      `If you didn't make this change, sign in to undo it and contact ${company} right away.`,
    ],
    action: 'Check settings',
  },
  email_changed: {
    subject: () => 'Your sign-in email was changed',
    lines: (company: string, address: string) => [
      `You now sign in to ${company} with ${address}, and emails go there too.`,
      `If you didn't ask for this change, contact ${company} right away.`,
    ],
  },
} as const
