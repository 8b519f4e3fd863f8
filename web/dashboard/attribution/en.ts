export const texts = {
  outcomes: { won: 'Won', lost: 'Lost', dropped: 'Not valid' },
  models: {
    last_click: 'Last click: the most recent valid click before the conversion wins.',
    first_click: 'First click: the earliest valid click within the window wins.',
  },
  precedence:
    "An affiliate's coupon code takes precedence over clicks. A token counts only if there is neither a coupon code nor a valid click.",
  window: (days: number, from: string, until: string) =>
    `Attribution window: ${days} ${days === 1 ? 'day' : 'days'}, from ${from} to ${until}.`,
  eligible: 'Only approved affiliates enrolled in the campaign can be credited.',
  noCandidates: 'The conversion was reported without a click, coupon code or token.',
  candidates: 'Candidates',
  showAll: (number: number) => `Show all ${number} candidates`,
  evidence: {
    coupon: 'Coupon code',
    token: 'Token',
    click: (id: number | null) => `Click ${id}`,
  },
  click: {
    at: 'Clicked',
    landingPage: 'Landing page:',
    referrer: 'Referrer:',
    bot: 'Looks like a bot',
  },
  /** By the sentence that is stored with the referral. */
  flags: {
    'the campaign reviews every referral': 'This campaign requires manual review of every referral.',
    'every referral of the affiliate is reviewed': "The affiliate's new referrals are held for review.",
    'self-referral: the customer has the affiliate’s email address':
      "Possible self-referral: the customer has the affiliate's email address.",
    'self-referral: the customer has the affiliate’s PayPal address':
      "Possible self-referral: the customer has the affiliate's PayPal address.",
    'self-referral: the customer is named by the affiliate’s email address':
      "Possible self-referral: the customer reference is the affiliate's email address.",
    'self-referral: the click came from an address that the affiliate signs in from':
      'Possible self-referral: the click came from an IP address the affiliate signs in from.',
  },
}
