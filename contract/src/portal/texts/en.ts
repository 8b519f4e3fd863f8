import { reasonWords } from './attribution-en.ts'

/** Everything that affiliates read, in English. A language is one file like this one, with the same names. */

/** Mails: the subject, what it says line by line, and what its button says. */
export const mails = {
  sign_in_link: {
    subject: (company: string) => `Sign in to ${company}`,
    lines: (company: string) => [
      `Here is your link to the partner portal of ${company}.`,
      'If you did not ask for it, nothing needs to be done.',
    ],
    action: 'Sign in',
    note: (minutes: number) => `The link works once, within ${minutes} minutes.`,
  },
  confirm_join: {
    subject: (company: string) => `Confirm your address for ${company}`,
    lines: (company: string, campaign: string) => [
      `You asked to join “${campaign}” of ${company}. Confirm that this address is yours, and you are in.`,
      'If you did not ask for it, nothing needs to be done.',
    ],
    action: 'Confirm and join',
    note: (hours: number) => `The link works once, within ${hours} hours.`,
  },
  joined: {
    subject: (company: string) => `Welcome to ${company}`,
    pending: (company: string, campaign: string) => [
      `You have joined “${campaign}”. ${company} looks at every application, and we will write to you when it is decided.`,
      'Your portal is open already: there you see where you stand.',
    ],
    approved: (_company: string, campaign: string) => [
      `You have joined “${campaign}”. Your link is ready: share it, and see in the portal what it brings.`,
    ],
    action: 'Open the portal',
  },
  approved: {
    subject: (company: string) => `${company} has approved you`,
    lines: (company: string) => [
      `Good news: ${company} has approved you as a partner. From now on your links earn.`,
    ],
    action: 'Get your link',
  },
  rejected: {
    subject: (company: string) => `Your application to ${company}`,
    lines: (company: string) => [
      `${company} has looked at your application and decided not to take you on as a partner.`,
      'If you think that this is a mistake, write to them.',
    ],
  },
  first_commission: {
    subject: () => 'Your first commission',
    lines: (company: string, amount: string, until: string | null) => [
      `You have earned your first commission with ${company}: ${amount}.`,
      until === null
        ? 'It goes out with one of the next payouts.'
        : `It is held until ${until}, in case the customer asks for the money back, and goes out with a payout after that.`,
    ],
    action: 'See why and how much',
  },
  payout_sent: {
    subject: (amount: string) => `${amount} is on its way to you`,
    lines: (company: string, amount: string, address: string | null) => [
      `${company} has paid you ${amount}${address ? `, to ${address}` : ''}.`,
      'The portal shows what it is made of, as a list and as a document for your books.',
    ],
    action: 'Open your statement',
  },
  payout_failed: {
    subject: (amount: string) => `Your payout of ${amount} did not arrive`,
    lines: (company: string, amount: string, reason: string | null) => [
      `${company} tried to pay you ${amount}, and it did not go through${reason ? `: ${reason}` : '.'}`,
      'Nothing is lost: the money is yours and goes out with the next payout. Please check the address that it is sent to.',
    ],
    action: 'Check your settings',
  },
  paypal_changed: {
    subject: () => 'The address of your payouts was changed',
    lines: (company: string, address: string | null) => [
      address
        ? `From now on ${company} sends your payouts to ${address}.`
        : `${company} has no PayPal address of yours any more, so that nothing can be paid out over PayPal.`,
      'If it was not you who changed it, sign in and change it back, and tell them at once.',
    ],
    action: 'Check your settings',
  },
  email_changed: {
    subject: () => 'The address you sign in with was changed',
    lines: (company: string, address: string) => [
      `From now on you sign in to ${company} with ${address}, and mails go there.`,
      'If you did not ask for it, tell them at once.',
    ],
  },
} as const

/** The few pages that work without scripts. */
export const doors = {
  signIn: {
    title: (company: string) => `Sign in to ${company}`,
    opening: 'One moment: you are being signed in.',
    ready: 'You are one step away.',
    button: 'Sign in',
  },
  confirm: {
    title: (company: string) => `Join ${company}`,
    ready: 'Confirm that this address is yours.',
    button: 'Confirm and join',
  },
  spent: {
    title: 'This link does not work any more',
    text: 'Links work once and for a short time. Ask for a new one, it takes a moment.',
    button: 'Get a new link',
  },
} as const

/** The statement as a document. */
export const statement = {
  title: 'Statement',
  asOf: (date: string) => `As of ${date}`,
  columns: { date: 'Date', what: 'What', amount: 'Amount', balance: 'Balance' },
  entries: {
    earned: 'Commission',
    clawback: 'Taken back',
    adjustment: 'Adjustment',
    payout: 'Payout',
    credit: 'Credit',
  },
  pending: 'pending',
  void: 'void',
  balance: (currency: string) => `Balance, in ${currency}`,
  credit: (currency: string) => `Credit, in ${currency} (not paid out)`,
  newest: (shown: number, total: number) =>
    `The newest ${shown.toLocaleString('en')} of ${total.toLocaleString('en')} entries. The CSV file has them all.`,
  empty: 'There is nothing on this statement.',
  page: (page: number) => `Page ${page}`,
} as const

/** The pages. */
export const pages = {
  nav: {
    home: 'Home',
    links: 'Links',
    referrals: 'Referrals',
    commissions: 'Commissions',
    payouts: 'Payouts',
    settings: 'Settings',
    main: 'Main',
    skip: 'Skip to the content',
  },
  common: {
    loading: 'Loading',
    failed: 'That did not work',
    retry: 'Try again',
    more: 'Show more',
    copy: 'Copy',
    copied: 'Copied',
    cancel: 'Cancel',
    save: 'Save',
    saved: 'Saved',
    aCustomer: 'A customer',
    missing: 'There is no such page',
    missingText: 'Check the address, or begin at the home page.',
    toHome: 'To the home page',
    terms: 'Terms',
  },
  status: {
    pending: 'Pending',
    approved: 'Approved',
    paid: 'Paid',
    void: 'Void',
    pending_review: 'In review',
    rejected: 'Rejected',
    processing: 'On its way',
    failed: 'Failed',
    canceled: 'Called off',
  },
  signIn: {
    title: 'Sign in',
    text: 'We send you a link. No password needed.',
    email: 'Email address',
    button: 'Send me a link',
    sent: 'Look into your mail',
    sentText: (email: string) =>
      `If ${email} belongs to a partner, a link is on its way. It works once, within 15 minutes.`,
    again: 'Use another address',
    byCompany: (company: string) => `Open the portal from your account at ${company}.`,
    orJoin: 'Not a partner yet?',
    join: 'Join',
  },
  join: {
    title: (company: string) => `Become a partner of ${company}`,
    text: 'Recommend us, and earn when somebody buys.',
    none: 'No campaign is open at the moment',
    noneText: 'Ask the company whether they take on new partners.',
    campaign: 'Campaign',
    byInvitation: 'By invitation',
    byInvitationText: 'Ask the company if you would like to join one of these.',
    name: 'Your name',
    email: 'Email address',
    button: 'Join',
    sent: 'One more step',
    sentText: (email: string) => `We sent a mail to ${email}. Open it and confirm that the address is yours.`,
    accept: (company: string) => `By joining you accept the terms of ${company}.`,
    readTerms: 'Read the terms',
    known: 'A partner already?',
    signIn: 'Sign in',
  },
  waiting: {
    title: 'Your application is being looked at',
    text: (company: string) =>
      `${company} decides about every partner. You get a mail when it is decided, and your links earn from then on.`,
    since: (date: string) => `You joined on ${date}.`,
    campaigns: 'You asked for',
  },
  reward: {
    percent: (rate: string) => `${rate} of every sale`,
    flat: (amount: string) => `${amount} for every sale`,
    first: 'the first sale of a customer only',
    months: (count: number) => `sales of a customer’s first ${count === 1 ? 'month' : `${count} months`}`,
    forever: 'for as long as the customer pays',
    credit: 'as credit',
    friend: (what: string) => `your friend gets ${what}`,
  },
  terms: {
    window: (days: number) => `Clicks count for ${days === 1 ? 'a day' : `${days} days`}.`,
    hold: (days: number) =>
      days === 0
        ? 'Nothing is held back.'
        : `Commissions are held for ${days === 1 ? 'a day' : `${days} days`}.`,
    minimum: (amount: string) => `Payouts from ${amount}.`,
  },
  home: {
    title: 'Home',
    hello: (name: string) => `Hello, ${name}`,
    earned: 'Earned so far',
    pending: 'Pending',
    approved: 'Ready to be paid',
    inPayout: 'On its way to you',
    paid: 'Paid',
    owedBack: 'Carried forward',
    owedBackText: 'Customers were refunded after you were paid. It is set off against what you earn next.',
    credit: 'Credit',
    why: 'Why is it pending?',
    heldUntil: (date: string, count: number) =>
      `until ${date} (${count === 1 ? '1 commission' : `${count} commissions`})`,
    moreHolds: (count: number) => `Show ${count} more`,
    heldWhy: (days: number) =>
      `Every commission is held for ${days === 1 ? 'a day' : `${days} days`} after its sale, in case the customer asks for the money back.`,
    inReview: 'until the company has looked at the referral',
    noAddress: 'Tell us your PayPal address in the settings, so that you can be paid.',
    toSettings: 'To the settings',
    belowMinimum: (rest: string, minimum: string) =>
      `Payouts begin at ${minimum}: ${rest} to go. Nothing is lost, it adds up.`,
    next: (amount: string) => `${amount} goes out with the next payout.`,
    awaitingRate: (count: number) =>
      count === 1
        ? 'One sale waits for a rate of exchange, and earns as soon as it is there.'
        : `${count} sales wait for a rate of exchange, and earn as soon as it is there.`,
    chart: 'Over time',
    clicks: 'Clicks',
    conversions: 'Conversions',
    earnings: 'Earnings',
    period: 'Period',
    periods: { 7: '7 days', 30: '30 days', 90: '90 days', 365: 'A year' },
    total: (what: string, total: string, period: string) => `${what}, ${period}: ${total}`,
    emptyTitle: 'Nothing earned yet',
    empty: 'Share your link, and see here what it brings.',
    nothingFrom: (campaigns: string[]) => `Nothing yet from ${campaigns.join(', ')}.`,
    quiet: 'None in this time.',
    toLinks: 'Get your link',
  },
  links: {
    title: 'Links',
    text: 'Share them anywhere. Whoever buys after following one is credited to you.',
    copy: 'Copy the link',
    copyCoupon: 'Copy the code',
    qr: 'QR code',
    qrOf: (campaign: string) => `QR code of your link for ${campaign}`,
    saveQr: 'Save the picture',
    deep: 'To another page',
    deepLabel: 'Lead to another page',
    deepText: (site: string) => `Any page of ${site}: paste its address, and share the link that comes out.`,
    notOnSite: (site: string) => `That is no page of ${site}.`,
    noDestination: 'This campaign leads nowhere yet. Ask the company.',
    coupon: 'Your code',
    couponText: 'Who uses it when buying is credited to you, even after following somebody else’s link.',
    more: 'More campaigns',
    none: 'You are in no campaign yet',
  },
  referrals: {
    title: 'Referrals',
    text: 'Customers who came through you, and why they count as yours.',
    none: 'No referrals yet',
    noneText: 'A referral appears as soon as somebody buys or signs up through your link.',
    nothingYet: 'nothing yet',
    why: 'Why is this yours?',
    when: (date: string) => `on ${date}`,
    rule: {
      last_click: 'The last click before the purchase wins.',
      first_click: 'The first click within the window wins.',
    },
    coupon: 'A partner’s code beats every click.',
    window: (days: number) => `Clicks count for ${days === 1 ? 'a day' : `${days} days`}.`,
    outcome: { won: 'Counted', lost: 'Beaten', dropped: 'Not valid' },
    mine: { coupon: 'Your code was used', click: 'Your link was followed', token: 'The company named you' },
    others: {
      coupon: 'Another partner’s code',
      click: 'A click on another partner’s link',
      token: 'Another partner was named',
    },
    lost: 'It came second to yours.',
    dropped: 'It did not count.',
    reason: reasonWords,
    inReview: 'The company looks at this referral. What it earned is paid once they have agreed.',
    rejected: 'The company has decided that this referral does not count.',
    earned: 'What it earned',
    back: 'All referrals',
  },
  commissions: {
    title: 'Commissions',
    text: 'Everything that was added to your balance, and everything that was taken off it.',
    none: 'No commissions yet',
    noneText: 'What a customer of yours buys earns you a commission, and it appears here at once.',
    noneSuch: 'None of this kind',
    all: 'All',
    status: 'Status',
    types: {
      earned: 'Commission',
      clawback: 'Taken back',
      adjustment: 'Adjustment',
      payout: 'Payout',
      credit: 'Credit',
    },
    heldUntil: (date: string) => `held until ${date}`,
    inReview: 'waits for a look at the referral',
    clawback: 'The customer got the money back, in full or in part.',
    from: (amount: string) => `from ${amount}`,
  },
  payouts: {
    title: 'Payouts',
    text: 'What was sent to you.',
    none: 'No payouts yet',
    noneText: 'Once commissions are approved and reach the minimum, they are paid out together.',
    to: (address: string) => `to ${address}`,
    failed: 'It did not arrive. The money is yours still and goes out with the next payout.',
    statement: 'Statement',
    statementText: 'Every entry with the balance after it, as of any day.',
    asOf: 'As of',
    csv: 'CSV',
    pdf: 'PDF',
  },
  campaigns: {
    title: 'Campaigns',
    text: 'Everything you can recommend.',
    joined: 'You are in',
    byInvitation: 'By invitation',
    join: 'Join',
    none: 'No campaign is open at the moment',
  },
  settings: {
    title: 'Settings',
    name: 'Name',
    email: 'Email address',
    emailText: 'You sign in with it. The company can change it.',
    paypal: 'PayPal address',
    paypalText: 'Your payouts go there.',
    noPaypal: 'None yet',
    change: 'Change',
    fresh: 'Sign in again first',
    freshText:
      'This changes where your money goes, so we want to be sure that it is you. We send you a link; come back here with it.',
    sendLink: 'Send me a link',
    linkSent: 'Look into your mail, and come back here with the link in it.',
    linkByCompany: (company: string) =>
      `Open the portal anew from your account at ${company}, and come back here.`,
    told: 'We tell both addresses about it.',
    remove: 'Leave it empty to remove the address.',
    signOut: 'Sign out',
    signOutEverywhere: 'Sign out on all devices',
  },
} as const
