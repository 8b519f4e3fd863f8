import type { DashboardRouteId } from '@tributary/contract/dashboard'
import { accountDashboard } from '../dashboard/accounts/account.dashboard.ts'
import { affiliateDashboard } from '../dashboard/affiliates/affiliate.dashboard.ts'
import { affiliateContactDashboard } from '../dashboard/affiliates/affiliate-contact.dashboard.ts'
import { apiKeyDashboard } from '../dashboard/api-keys/api-key.dashboard.ts'
import { auditDashboard } from '../dashboard/audit/audit.dashboard.ts'
import type { DashboardHandlers } from '../dashboard/call.ts'
import { campaignDashboard } from '../dashboard/campaigns/campaign.dashboard.ts'
import { joinFormDashboard } from '../dashboard/campaigns/join-form.dashboard.ts'
import { commissionDashboard } from '../dashboard/commissions/commission.dashboard.ts'
import { codeDashboard } from '../dashboard/connectors/code.dashboard.ts'
import { connectorDashboard } from '../dashboard/connectors/connector.dashboard.ts'
import { creditDashboard } from '../dashboard/connectors/credit.dashboard.ts'
import { conversionDashboard } from '../dashboard/conversions/conversion.dashboard.ts'
import { creativeDashboard } from '../dashboard/creatives/creative.dashboard.ts'
import { fxRateDashboard } from '../dashboard/fx/fx-rate.dashboard.ts'
import { digestDashboard } from '../dashboard/mail/digest.dashboard.ts'
import { mailDashboard } from '../dashboard/mail/mail.dashboard.ts'
import { mailServerDashboard } from '../dashboard/mail/mail-server.dashboard.ts'
import { mailTemplateDashboard } from '../dashboard/mail/mail-template.dashboard.ts'
import { checklistDashboard } from '../dashboard/overview/checklist.dashboard.ts'
import { exploreDashboard } from '../dashboard/overview/explore.dashboard.ts'
import { overviewDashboard } from '../dashboard/overview/overview.dashboard.ts'
import { payoutDashboard } from '../dashboard/payouts/payout.dashboard.ts'
import { railDashboard } from '../dashboard/payouts/rail.dashboard.ts'
import { testPayoutDashboard } from '../dashboard/payouts/test-payout.dashboard.ts'
import { portalDashboard } from '../dashboard/portal/portal.dashboard.ts'
import { referralDashboard } from '../dashboard/referrals/referral.dashboard.ts'
import { searchDashboard } from '../dashboard/search/search.dashboard.ts'
import { signalDashboard } from '../dashboard/signals/signal.dashboard.ts'
import { teamDashboard } from '../dashboard/team/team.dashboard.ts'
import { trackingDashboard } from '../dashboard/tracking/tracking.dashboard.ts'
import { trafficDashboard } from '../dashboard/traffic/traffic.dashboard.ts'
import { webhookEndpointDashboard } from '../dashboard/webhook-endpoints/webhook-endpoint.dashboard.ts'

/** The handlers of all dashboard calls. The contract defines their methods, paths, permissions and schemas. */
export const dashboardHandlers: DashboardHandlers<DashboardRouteId> = {
  ...overviewDashboard,
  ...exploreDashboard,
  ...checklistDashboard,
  ...searchDashboard,
  ...signalDashboard,
  ...affiliateDashboard,
  ...affiliateContactDashboard,
  ...campaignDashboard,
  ...joinFormDashboard,
  ...creativeDashboard,
  ...referralDashboard,
  ...conversionDashboard,
  ...commissionDashboard,
  ...payoutDashboard,
  ...testPayoutDashboard,
  ...webhookEndpointDashboard,
  ...connectorDashboard,
  ...codeDashboard,
  ...creditDashboard,
  ...apiKeyDashboard,
  ...teamDashboard,
  ...accountDashboard,
  ...portalDashboard,
  ...trackingDashboard,
  ...trafficDashboard,
  ...railDashboard,
  ...fxRateDashboard,
  ...mailDashboard,
  ...mailServerDashboard,
  ...mailTemplateDashboard,
  ...digestDashboard,
  ...auditDashboard,
}
