import type { PortalCommission, PortalRouteId } from '@tributary/contract/portal'
import type { Services } from '../db/services.ts'
import { affiliateOverview } from '../earning/overview/affiliate-overview.ts'
import { linkCounts } from '../earning/overview/link-counts.ts'
import { findRejection } from '../earning/referrals/referral.store.ts'
import { DomainError, notFound } from '../kit/domain-error.ts'
import { pageAfter } from '../kit/page.ts'
import { csrfToken, sha256 } from '../kit/tokens.ts'
import { isVoidDescription } from '../money/commissions/void-description.ts'
import { withOutcome } from '../money/ledger/credit-outcome.ts'
import { type Mask, statementPages } from '../money/statements/csv-statement.ts'
import { accountSlug } from '../programme/accounts/account-slug.ts'
import { updateAffiliate } from '../programme/affiliates/update-affiliate.ts'
import { saveSubscription } from '../programme/digests/subscriber.store.ts'
import {
  deletePortalSession,
  deletePortalSessionsOf,
} from '../programme/portal-access/portal-session.store.ts'
import { portalOfAccount } from '../programme/portal-settings/portal.store.ts'
import { linkBase } from '../programme/portal-settings/portal-address.ts'
import { deletePortalView } from '../programme/portal-views/portal-view.store.ts'
import type { PortalHandlers, SignedIn } from './call.ts'
import { creativeHandlers } from './creatives.ts'
import { drawLink } from './draw-link.ts'
import { countAwaitingRate, findEarnings } from './earnings.store.ts'
import { explainToAffiliate } from './explain-to-affiliate.ts'
import { joinCampaign, requestSignInLink, requestToJoin, showJoinForm } from './join.ts'
import { leaderboardHandlers } from './leaderboard.ts'
import {
  type CommissionRow,
  findMe,
  findOwnAttribution,
  findOwnReferral,
  listCommissionsOfReferral,
  listJoinableCampaigns,
  listOwnCommissions,
  listOwnLinks,
  listOwnPayouts,
  listOwnReferrals,
} from './portal-lists.store.ts'
import { shownCustomer } from './shown-customer.ts'
import { statementPdf } from './statement-pdf.ts'

/** The days that the clicks and conversions of a link are counted for, as on the home page at first. */
const COUNTED_DAYS = 30

/** A call by a signed-in affiliate. */
type OwnCall = Services & SignedIn & { accountId: number }

/** Hides customers from affiliates according to the company's setting. */
async function mask({ db, accountId }: Pick<OwnCall, 'db' | 'accountId'>): Promise<Mask> {
  const { customers_shown: shown } = await portalOfAccount(db, accountId)
  return {
    customer: (ref: string | null) => shownCustomer(ref, shown),
    // A sale's description may identify the customer. Why a commission was voided is written for the affiliate.
    text: (description: string | null, isOfSale: boolean) =>
      isOfSale && shown !== 'full' && !isVoidDescription(description) ? null : description,
  }
}

const presentCommission =
  ({ customer, text }: Mask) =>
  ({
    customer_ref,
    sale_amount_minor,
    sale_currency,
    is_of_sale,
    description,
    outcome,
    ...row
  }: CommissionRow): PortalCommission => ({
    ...row,
    customer: customer(customer_ref),
    original:
      sale_currency === row.currency ? null : { amount_minor: sale_amount_minor, currency: sale_currency },
    // The outcome of credit is about the affiliate, not about the customer.
    description: withOutcome(text(description, is_of_sale), outcome),
  })

async function me(
  call: Pick<OwnCall, 'db' | 'accountId' | 'affiliateId' | 'isFresh' | 'sessionToken' | 'view' | 'baseUrl'>,
) {
  const { db, accountId, affiliateId, view } = call
  const found = await findMe(db, call)
  if (!found) throw notFound('affiliate')
  return {
    ...found,
    is_fresh: call.isFresh,
    view: view
      ? {
          viewer: view.viewer,
          expires_at: view.expiresAt,
          back: `${call.baseUrl}/dashboard/${await accountSlug(db, accountId)}/affiliates/${affiliateId}`,
        }
      : null,
    csrf_token: csrfToken(call.sessionToken),
  }
}

async function links(call: Pick<OwnCall, 'db' | 'accountId' | 'affiliateId' | 'baseUrl'>) {
  const base = linkBase(call.baseUrl, await portalOfAccount(call.db, call.accountId))
  const rows = await listOwnLinks(call.db, call)
  return {
    coupon_code: rows[0]?.coupon_code ?? null,
    data: rows.map(({ campaign_slug, token, coupon_code, ...row }) => ({
      ...row,
      link: `${base}/${token}/${campaign_slug}`,
    })),
  }
}

/** The handler of every portal call. */
export const portalHandlers: PortalHandlers<PortalRouteId> = {
  requestSignInLink: async ({ db, accountId, body }) => {
    await requestSignInLink(db, accountId, body.email)
    return {}
  },
  requestToJoin: async call => {
    await requestToJoin(call, call.accountId, call.body)
    return {}
  },
  getJoinForm: call => showJoinForm(call, call.accountId, call.id, call.query.join_key),

  getMe: me,
  updateMe: async call => {
    await updateAffiliate(call.db, call.accountId, call.affiliateId, { name: call.body.name })
    return me(call)
  },
  changePayPal: async call => {
    if (!call.isFresh)
      throw new DomainError('forbidden', 'Sign in again before changing where your money goes.')
    await updateAffiliate(call.db, call.accountId, call.affiliateId, {
      paypal_email: call.body.paypal_email,
    })
    return me(call)
  },
  subscribeToDigest: async call => {
    const { db, accountId, affiliateId, body } = call
    const subscription = { kind: 'affiliate', id: affiliateId, isSubscribed: body.is_subscribed } as const
    await db.transaction(tx => saveSubscription(tx, accountId, subscription))
    return me(call)
  },
  signOut: async ({ db, accountId, sessionToken, view }) => {
    await (view ? deletePortalView : deletePortalSession)(db, accountId, sha256(sessionToken))
    return {}
  },
  signOutEverywhere: async ({ db, accountId, affiliateId }) => {
    await deletePortalSessionsOf(db, accountId, affiliateId)
    return {}
  },

  getHome: async ({ db, accountId, affiliateId, query }) => ({
    earnings: await findEarnings(db, accountId, affiliateId),
    awaiting_rate: await countAwaitingRate(db, accountId, affiliateId),
    ...(await affiliateOverview(db, accountId, affiliateId, query.days ?? 30)),
  }),
  listLinks: async call => {
    const { data, ...rest } = await links(call)
    const countsOf = await linkCounts(call.db, call.accountId, call.affiliateId, COUNTED_DAYS)
    return {
      ...rest,
      days: COUNTED_DAYS,
      data: data.map(link => ({ ...link, ...countsOf(link.campaign_id) })),
    }
  },
  drawLink: async call => {
    const { data } = await links(call)
    const found = data.find(({ campaign_id }) => campaign_id === call.id)
    if (!found) throw notFound('link')
    return drawLink(found, call.query.to)
  },
  ...creativeHandlers,
  ...leaderboardHandlers,
  listReferrals: async call => {
    const { customer } = await mask(call)
    const { data, next } = pageAfter(await listOwnReferrals(call.db, call, call.query), call.query.limit)
    return {
      data: data.map(({ customer_ref, ...row }) => ({ ...row, customer: customer(customer_ref) })),
      next,
    }
  },
  getReferral: async call => {
    const row = await findOwnReferral(call.db, call, call.id)
    const attribution = await findOwnAttribution(call.db, call, call.id)
    if (!row || !attribution) throw notFound('referral')
    const masks = await mask(call)
    const { customer_ref, ...referral } = row
    const commissions = await listCommissionsOfReferral(call.db, call, call.id)
    const rejection = await findRejection(call.db, call.accountId, call.id)
    return {
      ...referral,
      customer: masks.customer(customer_ref),
      ...explainToAffiliate(attribution, call.affiliateId),
      commissions: commissions.map(presentCommission(masks)),
      rejection_reason: rejection?.is_shared ? rejection.reason : null,
    }
  },
  listCommissions: async call => {
    const masks = await mask(call)
    const { data, next } = pageAfter(await listOwnCommissions(call.db, call, call.query), call.query.limit)
    return { data: data.map(presentCommission(masks)), next }
  },
  listPayouts: async call => pageAfter(await listOwnPayouts(call.db, call, call.query), call.query.limit),
  downloadStatement: async call => {
    const masks = await mask(call)
    const pages = statementPages(call.files, call.accountId, call.affiliateId, call.query.as_of, masks)
    return { name: 'statement.csv', pages }
  },
  printStatement: async call => statementPdf(call, await mask(call), call.query.as_of),

  listCampaigns: async call => ({ data: await listJoinableCampaigns(call.db, call) }),
  joinCampaign: async ({ db, accountId, affiliateId, id, body }) => {
    await joinCampaign(db, accountId, affiliateId, id, body.form)
    return {}
  },
}
