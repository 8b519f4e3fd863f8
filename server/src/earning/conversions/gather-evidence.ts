import type { CreateConversion } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import { DAY_MS } from '../../kit/timestamp.ts'
import type { NamedAffiliateRow } from '../../programme/affiliates/affiliate.store.ts'
import { namedAffiliates } from '../../programme/affiliates/named-affiliates.ts'
import { findStops } from '../../programme/campaigns/campaign-stop.store.ts'
import type { CampaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import type { Evidence, NamedAffiliate } from '../attribution/attribute.ts'
import { type ClickRow, findClicksOfVisitor } from '../tracking/click.store.ts'

export interface Gathered {
  evidence: Evidence
  affiliates: Map<number, NamedAffiliateRow>
  clicks: ClickRow[]
}

const named = (row: NamedAffiliateRow | undefined): NamedAffiliate | undefined =>
  row && { id: row.id, status: row.status, isEnrolled: row.is_enrolled }

/** All evidence on record: the click and the visitor's other clicks, the coupon code, the token. */
export async function gatherEvidence(
  db: Db,
  accountId: number,
  { campaign }: CampaignTerms,
  request: CreateConversion,
  occurredAt: string,
): Promise<Gathered> {
  const clickId = request.click_id === undefined ? undefined : Number(request.click_id)
  if (clickId !== undefined && !Number.isSafeInteger(clickId))
    throw invalid('click_id', 'is too large to be a click id')
  const windowStart = new Date(
    Date.parse(occurredAt) - campaign.attribution_window_days * DAY_MS,
  ).toISOString()
  const [clicks, stops] = await Promise.all([
    clickId === undefined ? [] : findClicksOfVisitor(db, accountId, clickId, windowStart),
    findStops(db, accountId, campaign.id, windowStart),
  ])
  const found = await namedAffiliates(db, accountId, campaign.id, {
    ids: clicks.map(click => click.affiliate_id),
    token: request.token,
    couponCode: request.coupon_code,
  })
  const { coupon_code: code, token } = request
  return {
    clicks,
    affiliates: found.byId,
    evidence: {
      campaign: {
        id: campaign.id,
        model: campaign.attribution_model,
        windowDays: campaign.attribution_window_days,
        stops,
      },
      occurredAt,
      clicks: clicks.flatMap(click => {
        const affiliate = named(found.byId.get(click.affiliate_id))
        return affiliate
          ? [{ id: click.id, campaignId: click.campaign_id, clickedAt: click.created_at, affiliate }]
          : []
      }),
      unknownClickId: clickId !== undefined && clicks.every(({ id }) => id !== clickId) ? clickId : undefined,
      coupon: code === undefined ? undefined : { code, affiliate: named(found.byCouponCode) },
      token: token === undefined ? undefined : { token, affiliate: named(found.byToken) },
    },
  }
}
