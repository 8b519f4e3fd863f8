import type { CreateConversion } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import {
  findByCouponCode,
  findByToken,
  type NamedAffiliateRow,
} from '../../programme/affiliates/named-affiliate.store.ts'
import { type CampaignStop, findStops } from '../../programme/campaigns/campaign-stop.store.ts'
import type { CampaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import type { Evidence, NamedAffiliate } from '../attribution/attribute.ts'
import { type ClickEvidenceRow, findClickEvidence } from './evidence.store.ts'

/** All evidence on record: the click and the visitor's other clicks, the coupon code, the token, and when the campaign was stopped. */
export interface Gathered {
  clickId: number | undefined
  clicks: ClickEvidenceRow[]
  byCouponCode: NamedAffiliateRow | undefined
  byToken: NamedAffiliateRow | undefined
  stops: CampaignStop[]
}

/** The reported click, if there is one. */
export function reportedClick({ click_id }: CreateConversion): number | undefined {
  if (click_id === undefined) return undefined
  const clickId = Number(click_id)
  if (!Number.isSafeInteger(clickId)) throw invalid('click_id', 'is too large to be a click id')
  return clickId
}

/** Queries what the report refers to, in one round trip. */
export async function gatherEvidence(
  tx: Tx,
  accountId: number,
  { campaign_id, coupon_code, token }: CreateConversion,
  clickId: number | undefined,
  occurredAt: string | undefined,
): Promise<Gathered> {
  const [clicks, byCouponCode, byToken, stops] = await Promise.all([
    clickId === undefined
      ? []
      : tx.readItem(findClickEvidence, accountId, { campaignId: campaign_id, clickId, occurredAt }),
    coupon_code === undefined ? undefined : findByCouponCode(tx, accountId, campaign_id, coupon_code),
    token === undefined ? undefined : findByToken(tx, accountId, campaign_id, token),
    findStops(tx, accountId, campaign_id, occurredAt),
  ])
  return { clickId, clicks, byCouponCode, byToken, stops }
}

const named = (row: NamedAffiliateRow | undefined): NamedAffiliate | undefined =>
  row && { id: row.id, status: row.status, isEnrolled: row.is_enrolled }

/** What decides which affiliate is credited. */
export function evidenceOf(
  { clickId, clicks, byCouponCode, byToken, stops }: Gathered,
  { campaign }: CampaignTerms,
  { coupon_code: code, token }: CreateConversion,
  occurredAt: string,
): Evidence {
  return {
    campaign: {
      id: campaign.id,
      model: campaign.attribution_model,
      windowDays: campaign.attribution_window_days,
      stops,
    },
    occurredAt,
    clicks: clicks.map(click => ({
      id: click.click_id,
      campaignId: click.campaign_id,
      clickedAt: click.clicked_at,
      affiliate: named(click) as NamedAffiliate,
    })),
    unknownClickId:
      clickId !== undefined && clicks.every(({ click_id }) => click_id !== clickId) ? clickId : undefined,
    coupon: code === undefined ? undefined : { code, affiliate: named(byCouponCode) },
    token: token === undefined ? undefined : { token, affiliate: named(byToken) },
  }
}
