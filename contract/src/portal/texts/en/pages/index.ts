import { application, join, signIn } from './access.ts'
import { commissions, payouts, referrals } from './earnings.ts'
import { home } from './home.ts'
import { campaigns, links } from './links.ts'
import { settings } from './settings.ts'
import { common, nav, reward, status, terms, view } from './shared.ts'

/** The texts of every page, by area. */
export const pages = {
  nav,
  common,
  view,
  status,
  reward,
  terms,
  signIn,
  join,
  application,
  home,
  links,
  campaigns,
  referrals,
  commissions,
  payouts,
  settings,
} as const
