import type { DashboardRouteId } from '@tributary/contract/dashboard'
import { accountDashboard } from '../dashboard/accounts/account.dashboard.ts'
import { affiliateDashboard } from '../dashboard/affiliates/affiliate.dashboard.ts'
import { affiliateContactDashboard } from '../dashboard/affiliates/affiliate-contact.dashboard.ts'
import { apiKeyDashboard } from '../dashboard/api-keys/api-key.dashboard.ts'
import { auditDashboard } from '../dashboard/audit/audit.dashboard.ts'
import type { DashboardHandlers } from '../dashboard/call.ts'
import { campaignDashboard } from '../dashboard/campaigns/campaign.dashboard.ts'
import { commissionDashboard } from '../dashboard/commissions/commission.dashboard.ts'
import { conversionDashboard } from '../dashboard/conversions/conversion.dashboard.ts'
import { fxRateDashboard } from '../dashboard/fx/fx-rate.dashboard.ts'
import { mailDashboard } from '../dashboard/mail/mail.dashboard.ts'
import { overviewDashboard } from '../dashboard/overview/overview.dashboard.ts'
import { payoutDashboard } from '../dashboard/payouts/payout.dashboard.ts'
import { railDashboard } from '../dashboard/payouts/rail.dashboard.ts'
import { portalDashboard } from '../dashboard/portal/portal.dashboard.ts'
import { referralDashboard } from '../dashboard/referrals/referral.dashboard.ts'
import { searchDashboard } from '../dashboard/search/search.dashboard.ts'
import { teamDashboard } from '../dashboard/team/team.dashboard.ts'
import { webhookEndpointDashboard } from '../dashboard/webhook-endpoints/webhook-endpoint.dashboard.ts'

/** The handlers of all dashboard calls. The contract defines their methods, paths, permissions and schemas. */
export const dashboardHandlers: DashboardHandlers<DashboardRouteId> = {
  ...overviewDashboard,
  ...searchDashboard,
  ...affiliateDashboard,
  ...affiliateContactDashboard,
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
