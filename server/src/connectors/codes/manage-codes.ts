import type { Db } from '../../db/database.ts'
import { conflict, invalid, notFound } from '../../kit/domain-error.ts'
import { findAffiliate, lockAffiliate } from '../../programme/affiliates/affiliate.store.ts'
import { couponCodeKey } from '../../programme/affiliates/affiliate.ts'
import { updateAffiliate } from '../../programme/affiliates/update-affiliate.ts'
import { insertLink } from '../billing-facts.store.ts'
import { type ConnectorRow, updateCodeCoupon } from '../connector.store.ts'
import { type Calls, openApi } from '../open-api.ts'
import type { ProviderCode } from '../provider.ts'
import { insertAssignedCode } from './code.store.ts'

/** Sets which coupon of the provider new codes belong to; null to create none. The coupon must exist. */
export async function setCodeCoupon(
  calls: Calls,
  accountId: number,
  connectorId: number,
  coupon: string | null,
): Promise<ConnectorRow> {
  if (coupon !== null) {
    const { feature: codes, api } = await openApi(calls, accountId, connectorId, 'codes')
    await codes.assertCoupon(api, coupon)
  }
  const connector = await updateCodeCoupon(calls.db, accountId, connectorId, coupon)
  if (!connector) throw notFound('connector')
  return connector
}

/** The codes that customers can use at the provider. */
export async function listProviderCodes(
  calls: Calls,
  accountId: number,
  connectorId: number,
): Promise<ProviderCode[]> {
  const { feature: codes, api } = await openApi(calls, accountId, connectorId, 'codes')
  return codes.list(api)
}

/** Gives a code that was made at the provider to an affiliate, as their coupon code: checkouts with it credit them. */
export async function assignCode(
  calls: Calls,
  accountId: number,
  connectorId: number,
  { codeId, affiliateId }: { codeId: string; affiliateId: number },
): Promise<{ code: string }> {
  const { feature: codes, api } = await openApi(calls, accountId, connectorId, 'codes')
  const { id, code } = await codes.find(api, codeId)
  await assign(calls.db, accountId, { connectorId, affiliateId, code, externalId: id })
  return { code }
}

const assign = (
  db: Db,
  accountId: number,
  assigned: { connectorId: number; affiliateId: number; code: string; externalId: string },
) =>
  db.transaction(async tx => {
    const { affiliateId, connectorId, code, externalId } = assigned
    // In a separate statement: of two assignments at once, the second sees the first one's code.
    if (!(await lockAffiliate(tx, accountId, affiliateId)))
      throw invalid('affiliate_id', 'does not match an affiliate in this account')
    const affiliate = await findAffiliate(tx, accountId, affiliateId)
    const codeKey = couponCodeKey(code)
    const before = affiliate?.coupon_code
    if (before && couponCodeKey(before) !== codeKey)
      throw conflict(
        `The affiliate already has the coupon code ${before}. Remove it from the affiliate first.`,
      )
    await updateAffiliate(tx, accountId, affiliateId, { coupon_code: code })
    await insertAssignedCode(tx, accountId, { connectorId, affiliateId, code, codeKey, externalId })
    const link = { kind: 'code' as const, ref: externalId, target: code }
    await insertLink(tx, { accountId, connectorId }, link)
  })
