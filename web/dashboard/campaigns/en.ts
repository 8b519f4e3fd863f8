import { counted } from '../shared/en.ts'

const months = (number: number) => counted(number, 'month')
const types = { affiliate: 'Affiliate', referral: 'Referral' }
const visibilities = { private: 'Private', public: 'Public' }
const models = { last_click: 'Last click', first_click: 'First click' }

const statuses = { active: 'Active', paused: 'Paused', archived: 'Archived' }

/** The campaign pages, in English. */
export const texts = {
  types,
  statuses,
  visibilities,
  models,
  days: (number: number) => counted(number, 'day'),
  noHold: 'None',
  window: (days: number) => `${days}-day window`,
  list: {
    title: 'Campaigns',
    note: 'What your affiliates earn, and on which terms.',
    create: 'Create campaign',
    columns: {
      campaign: 'Campaign',
      type: 'Type',
      commission: 'Commission',
      attribution: 'Attribution',
      payouts: 'Payouts',
      affiliates: 'Affiliates',
      created: 'Created',
    },
    kind: (type: keyof typeof types, visibility: keyof typeof visibilities) =>
      `${types[type]} · ${visibilities[visibility]}`,
    hold: (days: number) => (days === 0 ? 'No hold' : `${days}-day hold`),
    minimum: (amount: string) => `${amount} minimum`,
    visibility: 'Visibility',
    status: 'Status',
    notArchived: 'Not archived',
    actions: 'Actions',
    noMatch: 'No matching campaigns',
    empty: 'No campaigns yet',
    emptyNote:
      'A campaign sets what a sale earns, how sales are attributed and when commissions are paid. Affiliates enrol in one or more.',
  },
  actions: {
    title: 'Actions',
    of: (campaign: string) => `Actions for ${campaign}`,
    linkCopied: 'Join link copied',
    copyByHand: (link: string) => `Your browser blocked copying. The join link is ${link}`,
    noLink: 'Turn on open enrolment to get a join link.',
    noLinkNow: {
      paused: "Affiliates can't join while the campaign is paused.",
      archived: "Affiliates can't join an archived campaign.",
    },
    duplicate: 'Duplicate campaign',
    pause: 'Pause campaign',
    resume: 'Resume campaign',
    archive: 'Archive campaign',
    restore: 'Restore campaign',
    /** By the status before and after. */
    done: {
      active: { active: '', paused: 'Campaign paused', archived: 'Campaign archived' },
      paused: { active: 'Campaign resumed', paused: '', archived: 'Campaign archived' },
      archived: { active: '', paused: 'Campaign restored; it is paused until you resume it', archived: '' },
    },
    ask: {
      paused: (campaign: string) => `Pause ${campaign}?`,
      archived: (campaign: string) => `Archive ${campaign}?`,
    },
    consequences: {
      paused: [
        "Links and coupon codes stop earning: links still lead to your site, but conversions from now on aren't credited, and neither are clicks made during the pause. Affiliates can't join.",
        'Existing referrals keep earning on their sales. Commissions already earned stay payable.',
        'Affiliates see in the portal that the campaign is paused. You can resume it at any time.',
      ],
      archived: [
        "The campaign leaves your lists and the portal. Links still lead to your site, but conversions from now on aren't credited. Affiliates can't join.",
        'Existing referrals keep earning on their sales. Balances stay payable: create payouts for this campaign as before.',
        'You can restore it at any time. Filter the campaigns by status to find it.',
      ],
    },
    notice: {
      paused: 'This campaign is paused',
      archived: 'This campaign is archived',
    },
    noticeText: {
      paused:
        "Links still lead to your site, but new conversions aren't credited and affiliates can't join. Existing referrals keep earning, and balances stay payable.",
      archived:
        "It isn't listed here or in the portal. New conversions aren't credited and affiliates can't join. Existing referrals keep earning, and balances stay payable.",
    },
    createPayout: 'Create payout',
  },
  page: {
    title: 'Campaign',
    note: (type: keyof typeof types, visibility: keyof typeof visibilities) =>
      `${types[type]} campaign · ${visibilities[visibility]}`,
    affiliates: (number: string) => `Affiliates (${number})`,
    commissions: 'Commissions',
    details: 'Details',
    id: 'Campaign ID',
    copyId: 'Copy campaign ID',
    slug: 'Slug',
    copySlug: 'Copy slug',
    type: 'Type',
    currency: 'Payout currency',
    created: 'Created',
    joinLink: 'Join link',
    copyJoinLink: 'Copy join link',
    joinNote: {
      public: 'Anyone can join, and the portal lists this campaign. You approve each affiliate.',
      private:
        "Anyone with this link can join. The portal doesn't list this campaign. You approve each affiliate.",
    },
    ruleHistory: 'Rule history',
    noRules: "No rules, so sales don't earn commissions.",
    version: (version: number) => `Version ${version}, from`,
    updated: 'Campaign updated',
  },
  create: {
    title: 'New campaign',
    note: 'Set what your affiliates earn, and on which terms.',
    copyTitle: (campaign: string) => `Duplicate ${campaign}`,
    copyNote: 'Same terms, without its affiliates, links and commissions. Nothing is created until you save.',
    copyName: (campaign: string) => `${campaign} (copy)`,
    notAllowed: "You don't have permission to create campaigns",
    notAllowedNote: 'Ask an account owner to create the campaign or change your role.',
    submit: 'Create campaign',
    created: 'Campaign created',
  },
  form: {
    general: 'General',
    name: 'Name',
    nameHint: 'Shown to affiliates.',
    slug: 'Slug',
    slugHint: "Used in links; can't be changed later. Generated if empty.",
    slugExample: 'partner-programme',
    type: 'Type',
    typeHint: "Can't be changed later.",
    affiliateHint: 'Partners promote you and earn commissions.',
    referralHint: 'Customers refer friends. You can reward both.',
    currency: 'Payout currency',
    currencyHint: "The currency affiliates are paid in. Can't be changed later.",
    visibility: 'Visibility',
    visibilityHint: 'Whether the portal lists this campaign.',
    visibilities: {
      private: 'Private: invited affiliates only',
      public: 'Public: listed in the portal',
    },
    destination: 'Destination URL',
    destinationHint: 'The page that affiliate links lead to.',
    destinationExample: 'https://example.com',
    openEnrolment: 'Open enrolment',
    openEnrolmentHint:
      'Anyone with the join link can sign up; you approve each affiliate. When off, a public campaign is listed as invite-only.',
    ruleChange: 'Changes apply to new sales only. Existing commissions keep their rule.',
    attribution: 'Attribution',
    model: 'Attribution model',
    modelHint: 'Which click gets credit. Coupon codes override it.',
    window: 'Attribution window (days)',
    windowHint: 'How long after a click a conversion is credited.',
    reviewReferrals: 'Review every referral',
    reviewReferralsHint:
      'Commissions are payable only after you approve the referral. When off, only suspicious referrals need review.',
    lookBack: 'Credit past conversions on approval',
    lookBackHint:
      'When you approve a pending affiliate, their conversions within the attribution window are credited, each with its first sale.',
    payouts: 'Payouts',
    hold: 'Hold period (days)',
    holdHint: 'How long commissions are on hold, in case of refunds.',
    minimum: (currency: string) => `Minimum payout (${currency})`,
    minimumHint: 'Smaller balances roll over to the next payout.',
  },
  rewards: {
    commission: 'Commission',
    rewards: 'Rewards',
    affiliate: 'Affiliate commission',
    referrer: 'Referrer reward',
    referee: 'New customer reward',
    kinds: { none: 'No reward', percent: 'Percentage of the sale', flat: 'Fixed amount' },
    percent: 'Percentage',
    percentExample: '20',
    amount: 'Amount',
    amountExample: '10.00',
    currency: 'Currency',
    recurrence: 'Eligible sales',
    recurrences: {
      first: 'First sale only',
      months: 'Sales in the first N months',
      forever: "All sales, for the customer's lifetime",
    },
    months: 'Number of months',
    credit: 'Pay rewards as credit',
    creditHint: 'You apply credit to your own invoices. It is recorded here but never paid out.',
  },
  problems: {
    percent: 'Enter a percentage above 0 and up to 100, such as 12.5',
    ruleCurrency: 'Enter a three-letter currency code, such as USD',
    amount: 'Enter an amount above 0',
    whole: (least: number, most: number) => `Enter a whole number from ${least} to ${most}`,
    name: 'Enter a name',
    slug: 'Use a-z, 0-9 and single hyphens between them',
    currency: 'Enter a three-letter code, such as USD',
    minimum: 'Enter an amount, such as 50',
    destination: 'Enter a full URL, such as https://example.com',
  },
  terms: {
    title: 'Terms',
    commission: 'Commission',
    hold: 'Hold period',
    attribution: 'Attribution',
    attributionText: (model: keyof typeof models, days: number) =>
      `${models[model]}, ${days}-day window; coupon codes override clicks`,
    review: 'Referral review',
    reviewAll: 'All referrals',
    reviewSuspicious: 'Suspicious referrals only',
    pastConversions: 'Past conversions',
    lookBack: 'Credited on approval',
    noLookBack: 'Not credited',
    minimum: 'Minimum payout',
    enrolment: 'Enrolment',
    open: 'Open: anyone with the join link',
    inviteOnly: 'Invite-only',
    destination: 'Destination URL',
    noDestination: "Not set, so links don't work yet",
  },
  /** What a rule pays to the one who refers. `amount` is a percentage or money. */
  rule: {
    percent: {
      always: (amount: string) => `${amount} of every customer payment`,
      first: (amount: string) => `${amount} of each customer's first payment`,
      months: (amount: string, number: number) =>
        `${amount} of each customer's payments for ${months(number)}`,
    },
    flat: {
      always: (amount: string) => `${amount} per customer payment`,
      first: (amount: string) => `${amount} per new customer`,
      months: (amount: string, number: number) => `${amount} per customer payment for ${months(number)}`,
    },
  },
  /** What a rule pays to the new customer. */
  refereeRule: {
    percent: {
      always: (amount: string) => `${amount} of every payment`,
      first: (amount: string) => `${amount} of their first payment`,
      months: (amount: string, number: number) => `${amount} of their payments for ${months(number)}`,
    },
    flat: {
      always: (amount: string) => `${amount} per payment`,
      first: (amount: string) => `${amount} on their first payment`,
      months: (amount: string, number: number) => `${amount} per payment for ${months(number)}`,
    },
  },
  ruleFor: {
    affiliate: (rule: string) => rule,
    referrer: (rule: string) => `Referrer: ${rule}`,
    referee: (rule: string) => `New customer: ${rule}`,
  },
  asCredit: (rule: string) => `${rule}, as credit`,
  noRule: 'No commission',
}
