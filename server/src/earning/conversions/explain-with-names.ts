import type { ReferralDetail } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { findClickDetails, findExplanation } from './explanation.store.ts'

/** Why a referral was credited, with the candidates' names and click details for display. */
export async function explainWithNames(
  db: Db,
  accountId: number,
  referralId: number,
): Promise<Pick<ReferralDetail, 'explanation' | 'clicks'>> {
  const explanation = await findExplanation(db, accountId, referralId)
  if (!explanation) return { explanation: null, clicks: [] }
  const clickIds = explanation.attribution.candidates.flatMap(({ click_id }) => click_id ?? [])
  return {
    explanation,
    clicks: clickIds.length > 0 ? await findClickDetails(db, accountId, clickIds) : [],
  }
}
