import type { DashboardRouteId } from '@tributary/contract/dashboard'
import { accountDashboard } from '../accounts/account.dashboard.ts'
import { affiliateDashboard } from '../affiliates/affiliate.dashboard.ts'
import { apiKeyDashboard } from '../api-keys/api-key.dashboard.ts'
import { auditDashboard } from '../audit/audit.dashboard.ts'
import { campaignDashboard } from '../campaigns/campaign.dashboard.ts'
import { commissionDashboard } from '../commissions/commission.dashboard.ts'
import { conversionDashboard } from '../conversions/conversion.dashboard.ts'
import { fxRateDashboard } from '../fx/fx-rate.dashboard.ts'
import type { DashboardHandlers } from '../kit/dashboard-endpoint.ts'
import { mailDashboard } from '../mail/mail.dashboard.ts'
import { overviewDashboard } from '../overview/overview.dashboard.ts'
import { payoutDashboard } from '../payouts/payout.dashboard.ts'
import { railDashboard } from '../payouts/rail.dashboard.ts'
import { portalDashboard } from '../portal/portal.dashboard.ts'
import { referralDashboard } from '../referrals/referral.dashboard.ts'
import { teamDashboard } from '../team/team.dashboard.ts'
import { webhookEndpointDashboard } from '../webhook-endpoints/webhook-endpoint.dashboard.ts'

/** Every call of the dashboard and what carries it out. The contract holds their methods, paths, permissions and schemas. */
export const dashboardHandlers: DashboardHandlers<DashboardRouteId> = {
  ...overviewDashboard,
  ...affiliateDashboard,
  ...campaignDashboard,
  ...referralDashboard,
  ...conversionDashboard,
  ...commissionDashboard,
  ...payoutDashboard,
  ...webhookEndpointDashboard,
  ...apiKeyDashboard,
  ...teamDashboard,
  ...accountDashboard,
  ...portalDashboard,
  ...railDashboard,
  ...fxRateDashboard,
  ...mailDashboard,
  ...auditDashboard,
}
