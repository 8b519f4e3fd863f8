import { application, join, joinForm, signIn } from './access.ts'
import { creatives } from './creatives.ts'
import { commissions, payouts, referrals } from './earnings.ts'
import { home } from './home.ts'
import { leaderboard } from './leaderboard.ts'
import { campaigns, links } from './links.ts'
import { settings } from './settings.ts'
import { common, money, nav, reward, status, terms, view } from './shared.ts'

/** The texts of every page, by area. */
export const pages = {
  nav,
  common,
  view,
  status,
  money,
  reward,
  terms,
  signIn,
  join,
  joinForm,
  application,
  home,
  leaderboard,
  links,
  campaigns,
  creatives,
  referrals,
  commissions,
  payouts,
  settings,
} as const
