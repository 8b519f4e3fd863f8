import type { OperationId } from '@tributary/contract'
import * as affiliates from '../api/affiliate.routes.ts'
import type { Handler } from '../api/call.ts'
import * as campaigns from '../api/campaign.routes.ts'
import * as commissions from '../api/commission.routes.ts'
import * as conversions from '../api/conversion.routes.ts'
import * as magicLinks from '../api/magic-link.routes.ts'
import * as payouts from '../api/payout.routes.ts'
import * as referrals from '../api/referral.routes.ts'
import * as refunds from '../api/refund.routes.ts'
import * as sales from '../api/sale.routes.ts'
import * as webhookEndpoints from '../api/webhook-endpoint.routes.ts'

/** The handlers of all operations of the public API. The contract defines their methods, paths and schemas. */
export const routes: { [Id in OperationId]: Handler<Id> } = {
  listAffiliates: affiliates.list,
  createAffiliate: affiliates.create,
  getAffiliate: affiliates.get,
  updateAffiliate: affiliates.update,
  createMagicLink: magicLinks.create,
  listCampaigns: campaigns.list,
  getCampaign: campaigns.get,
  listReferrals: referrals.list,
  getReferral: referrals.get,
  listCommissions: commissions.list,
  getCommission: commissions.get,
  updateCommission: commissions.update,
  listPayouts: payouts.list,
  getPayout: payouts.get,
  listWebhookEndpoints: webhookEndpoints.list,
  createWebhookEndpoint: webhookEndpoints.create,
  deleteWebhookEndpoint: webhookEndpoints.remove,
  createConversion: conversions.create,
  createSale: sales.create,
  createRefund: refunds.create,
}
