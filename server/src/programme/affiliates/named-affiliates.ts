import type { Db } from '../../db/database.ts'
import { findNamedAffiliates, type NamedAffiliateRow } from './affiliate.store.ts'

/** The affiliates that the evidence of a conversion refers to. */
export interface Names {
  ids: number[]
  token: string | undefined
  couponCode: string | undefined
}

export interface NamedAffiliates {
  byId: Map<number, NamedAffiliateRow>
  byToken: NamedAffiliateRow | undefined
  byCouponCode: NamedAffiliateRow | undefined
}

/** Looks up all affiliates that the evidence refers to, with their enrolment in the campaign, in one query. */
export async function namedAffiliates(
  db: Db,
  accountId: number,
  campaignId: number,
  names: Names,
): Promise<NamedAffiliates> {
  const rows = await findNamedAffiliates(db, accountId, campaignId, names)
  return {
    byId: new Map(rows.map(row => [row.id, row])),
    byToken: rows.find(row => row.has_token),
    byCouponCode: rows.find(row => row.has_coupon_code),
  }
}
