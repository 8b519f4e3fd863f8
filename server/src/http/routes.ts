import type { OperationId } from '@tributary/contract'
import * as affiliates from '../affiliates/affiliate.routes.ts'
import * as campaigns from '../campaigns/campaign.routes.ts'
import * as commissions from '../commissions/commission.routes.ts'
import * as conversions from '../conversions/conversion.routes.ts'
import type { Handler } from '../kit/endpoint.ts'
import * as magicLinks from '../magic-links/magic-link.routes.ts'
import * as payouts from '../payouts/payout.routes.ts'
import * as referrals from '../referrals/referral.routes.ts'
import * as refunds from '../refunds/refund.routes.ts'
import * as sales from '../sales/sale.routes.ts'
import * as webhookEndpoints from '../webhook-endpoints/webhook-endpoint.routes.ts'

/** Every operation of the public API and what carries it out. The contract holds their methods, paths and schemas. */
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
