import type { Payout } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { invalid, notFound } from '../../kit/domain-error.ts'
import { isMoment, MOMENT_PROBLEM } from '../../kit/timestamp.ts'
import { localMoment } from '../../programme/accounts/local-time.store.ts'
import { campaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import type { PayableScope } from '../ledger/payable.ts'
import { paypalPays } from '../rails/paypal-status.ts'

export interface PayoutRequest {
  campaignId: number
  rail: Payout['rail']
  /** Only entries made until then; now when left out. */
  cutOff?: string | undefined
  /** Only these affiliates; all by default. */
  affiliateIds?: number[] | undefined
}

export interface PayoutScope extends PayableScope {
  rail: Payout['rail']
  /** The account's, in which a cut-off without an offset is read. */
  timeZone: string
}

/** What a payout of this campaign over this rail takes in. */
export async function payoutScope(db: Db, accountId: number, request: PayoutRequest): Promise<PayoutScope> {
  if (request.cutOff !== undefined && !isMoment(request.cutOff)) throw invalid('cut_off', MOMENT_PROBLEM)
  if (request.rail !== 'manual' && request.rail !== 'paypal')
    throw invalid('rail', `${request.rail} is not available yet; use manual or paypal`)
  const terms = await campaignTerms(db, accountId, request.campaignId)
  if (!terms) throw notFound('campaign')
  const { payout_currency: currency, minimum_payout_minor: minimumMinor } = terms.campaign
  const needsPayPalAddress = request.rail === 'paypal'
  if (needsPayPalAddress && !paypalPays(currency))
    throw invalid('rail', `paypal does not pay ${currency} exactly; use the manual rail`)
  const { at: cutOff, time_zone: timeZone } = await localMoment(db, accountId, request.cutOff)
  return {
    campaignId: request.campaignId,
    rail: request.rail,
    currency,
    minimumMinor,
    needsPayPalAddress,
    cutOff,
    timeZone,
    affiliateIds: request.affiliateIds,
  }
}
