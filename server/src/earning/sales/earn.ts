import type { Referral } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import type { DrawnEntries } from '../../money/ledger/drawn-entries.ts'
import type { CampaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import { type Earned, earnCommissions } from './earn-commissions.ts'
import { earnStoredSale } from './earn-stored-sale.ts'
import { explainUnearned, type SaleRow } from './sale.store.ts'

/** What decides whether and how much a referral earns. */
export interface Eligibility {
  referral: Referral
  terms: CampaignTerms
  /** Whether the affiliate is rejected. */
  isRejected: boolean
}

/**
 * What a sale earns: one inserted in this transaction, with what was drawn for it, or one stored before. A rejected affiliate or referral
 * earns nothing, and the sale stores the reason.
 */
export async function earn(
  tx: Tx,
  accountId: number,
  sale: SaleRow,
  { referral, terms, isRejected }: Eligibility,
  drawn: DrawnEntries | undefined,
): Promise<Earned> {
  if (isRejected || referral.status === 'rejected') {
    await explainUnearned(tx, accountId, sale.id, isRejected ? 'affiliate_rejected' : 'referral_rejected')
    return { commissions: [], waiting_for: null }
  }
  return drawn
    ? earnCommissions(tx, accountId, sale, referral, terms, drawn)
    : earnStoredSale(tx, accountId, sale, referral, terms)
}
