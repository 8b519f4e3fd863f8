import type { dashboardRoutes } from '@tributary/contract/dashboard/routes'

type Routes = typeof dashboardRoutes
type DashboardAction = {
  [Id in keyof Routes]: Routes[Id] extends readonly [...unknown[], infer A] ? A : never
}[keyof Routes]
type Permissions = 'read' | 'programme' | 'money' | 'settings' | 'team'

/** Audited changes that are not made through a dashboard call. */
type OtherAction =
  | 'account.create'
  | 'team.join'
  | 'commission.repair'
  | 'connector.sync'
  | 'portal.change_leaderboard_name'
  | 'portal.change_name'
  | 'portal.change_paypal'
  | 'portal.join'
  | 'portal.subscribe_to_digest'

/** Every action that the audit log records. */
export type Action = Exclude<DashboardAction, Permissions> | OtherAction
