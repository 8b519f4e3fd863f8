export const leaderboard = {
  title: 'Leaderboard',
  by: { conversions: 'Conversions this month', commissions: 'Commissions this month' },
  place: 'Place',
  affiliate: 'Affiliate',
  values: { conversions: 'Conversions', commissions: 'Commissions' },
  hidden: (affiliates: number) => (affiliates === 1 ? 'Hidden' : `${affiliates} hidden affiliates`),
  you: (name: string | null) => (name === null ? 'You' : `You (${name})`),
  noPlace: "You don't have a place yet this month.",
  shownAs: {
    hidden: "Others don't see your name.",
    name: 'Others see your name.',
    nickname: 'Others see your nickname.',
  },
  change: 'Change it in Settings',
  choose: 'Name on the leaderboard',
  chooseText: 'What other affiliates see. Your email is never shown.',
  choices: {
    hidden: 'Hidden',
    name: (name: string | null) => (name === null ? 'Your name (not set)' : `Your name (${name})`),
    nickname: 'Nickname',
  },
} as const
