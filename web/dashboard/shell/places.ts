import { CommissionsIcon, OverviewIcon, PayoutsIcon, ReferralsIcon, SettingsIcon } from '../../ui/icons.tsx'
import { AffiliatesIcon, AuditIcon, CampaignsIcon, WebhooksIcon } from '../shared/icons.tsx'

/** The pages of the navigation. */
export const places = [
  { path: 'overview', label: 'Overview', Icon: OverviewIcon },
  { path: 'affiliates', label: 'Affiliates', Icon: AffiliatesIcon },
  { path: 'campaigns', label: 'Campaigns', Icon: CampaignsIcon },
  { path: 'referrals', label: 'Referrals', Icon: ReferralsIcon },
  { path: 'commissions', label: 'Commissions', Icon: CommissionsIcon },
  { path: 'payouts', label: 'Payouts', Icon: PayoutsIcon },
  { path: 'webhooks', label: 'Webhooks', Icon: WebhooksIcon },
  { path: 'settings', label: 'Settings', Icon: SettingsIcon },
  { path: 'audit-log', label: 'Audit log', Icon: AuditIcon },
] as const
