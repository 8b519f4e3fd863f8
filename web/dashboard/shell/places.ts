import { CommissionsIcon, OverviewIcon, PayoutsIcon, ReferralsIcon, SettingsIcon } from '../../ui/icons.tsx'
import {
  AffiliatesIcon,
  AuditIcon,
  BillingIcon,
  CampaignsIcon,
  CreativesIcon,
  ExploreIcon,
  SignalsIcon,
  WebhooksIcon,
} from '../shared/icons.tsx'
import { texts } from './en.ts'

const { pages } = texts

/** The pages of the navigation. */
export const places = [
  { path: 'overview', label: pages.overview, Icon: OverviewIcon },
  { path: 'explore', label: pages.explore, Icon: ExploreIcon },
  { path: 'affiliates', label: pages.affiliates, Icon: AffiliatesIcon },
  { path: 'campaigns', label: pages.campaigns, Icon: CampaignsIcon },
  { path: 'creatives', label: pages.creatives, Icon: CreativesIcon },
  { path: 'referrals', label: pages.referrals, Icon: ReferralsIcon },
  { path: 'signals', label: pages.signals, Icon: SignalsIcon },
  { path: 'commissions', label: pages.commissions, Icon: CommissionsIcon },
  { path: 'payouts', label: pages.payouts, Icon: PayoutsIcon },
  { path: 'billing', label: pages.billing, Icon: BillingIcon },
  { path: 'webhooks', label: pages.webhooks, Icon: WebhooksIcon },
  { path: 'settings', label: pages.settings, Icon: SettingsIcon },
  { path: 'audit-log', label: pages.auditLog, Icon: AuditIcon },
] as const
