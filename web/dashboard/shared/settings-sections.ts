import type { Permission } from '@tributary/contract/dashboard/permissions'
import { texts } from './en.ts'

const labels = texts.settingsSections

/** The sections of Settings, and who may open them. */
export const settingsSections = [
  { path: 'general', label: labels.general, permission: 'read' },
  { path: 'api-keys', label: labels.apiKeys, permission: 'settings' },
  { path: 'team', label: labels.team, permission: 'read' },
  { path: 'tracking', label: labels.tracking, permission: 'read' },
  { path: 'portal', label: labels.portal, permission: 'read' },
  { path: 'payout-rails', label: labels.payoutMethods, permission: 'settings' },
  { path: 'fx-rates', label: labels.rates, permission: 'read' },
  { path: 'mail', label: labels.email, permission: 'settings' },
  { path: 'profile', label: labels.profile, permission: 'read' },
] as const satisfies { path: string; label: string; permission: Permission }[]
