import type { CreateConversion, Referral } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { assertAmount } from '../../kit/largest-amount.ts'
import { presentCommission } from '../../money/commissions/commission.presenter.ts'
import { entriesOfSale } from '../../money/ledger/entries.ts'
import { earnSales } from '../sales/adopt-sales.ts'
import type { Eligibility } from '../sales/earn.ts'
import type { Earned } from '../sales/earn-commissions.ts'
import { reportSale } from '../sales/report-sale.ts'
import { adoptSale, insertSale, type SaleRow } from '../sales/sale.store.ts'
import { termsOfSale } from '../sales/terms-of-sale.ts'
import { type ConversionRow, linkSale } from './conversion.store.ts'
import type { Uncredited } from './credit-conversion.ts'

export const NOTHING: Earned = { commissions: [], waiting_for: null }

/** Stores the new sale that a conversion is reported with. */
export function addSale(
  tx: Tx,
  accountId: number,
  { request: { campaign_id, customer_ref, subscription_ref, is_test }, drawn, occurredAt }: Uncredited,
  sale: Pick<SaleRow, 'external_id' | 'amount_minor' | 'currency' | 'referral_id'>,
): SaleRow {
  assertAmount('amount_minor', sale.amount_minor)
  return insertSale(tx, accountId, drawn.sale_id, {
    ...sale,
    customer_ref,
    subscription_ref: subscription_ref ?? null,
    occurred_at: occurredAt,
    campaign_id,
    is_test: is_test ?? false,
  })
}

async function earnedOf(tx: Tx, accountId: number, saleId: number, isWaiting: boolean): Promise<Earned> {
  const entries = await entriesOfSale(tx, accountId, saleId)
  return { commissions: entries.map(presentCommission), waiting_for: isWaiting ? 'fx_rate' : null }
}

/**
 * Credits the sale that an unattributed conversion was reported with, now that another report brought the evidence, and returns what it
 * earned, by the rules of when it was reported; undefined if it was credited or replaced before. If it is too large at its exchange rate, it
 * stores that, and does not hold up the attribution.
 */
export async function adoptOwnSale(
  tx: Tx,
  accountId: number,
  saleId: number,
  eligibility: Eligibility,
): Promise<Earned | undefined> {
  const sale = await adoptSale(tx, accountId, saleId, eligibility.referral.id)
  if (!sale) return undefined
  const terms = await termsOfSale(tx, accountId, saleId)
  const { waiting_sales } = await earnSales(tx, accountId, [sale], { ...eligibility, terms })
  return earnedOf(tx, accountId, saleId, waiting_sales > 0)
}

/** What this report's sale earned; without one, what the first report's sale earned. */
export async function earnedBy(
  tx: Tx,
  accountId: number,
  request: CreateConversion,
  referral: Referral | null,
  known: ConversionRow | undefined,
): Promise<Earned> {
  const { sale, campaign_id, customer_ref, subscription_ref, occurred_at } = request
  if (!sale) return known?.sale_id ? earnedOf(tx, accountId, known.sale_id, known.sale_awaits_rate) : NOTHING
  const { result } = await reportSale(
    tx,
    accountId,
    {
      ...sale,
      customer_ref,
      campaign_id,
      ...(subscription_ref !== undefined && { subscription_ref }),
      ...(occurred_at !== undefined && { occurred_at }),
    },
    { adopt: true, isTest: request.is_test ?? false },
  )
  // A sale earns once, in the campaign it was first reported in: here it earned nothing.
  if (result.referral?.id !== referral?.id) return NOTHING
  await linkSale(tx, accountId, {
    campaignId: campaign_id,
    customerRef: customer_ref,
    saleExternalId: sale.external_id,
  })
  return result
}
