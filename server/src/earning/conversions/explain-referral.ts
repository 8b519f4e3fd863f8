import type { Attribution } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { presentAttribution } from '../attribution/attribute.ts'
import { findConversionOfReferral } from './conversion.store.ts'

/** Why a referral was credited: the decision made then, not one made with today's data. */
export async function explainReferral(db: Db, accountId: number, referralId: number): Promise<Attribution> {
  const conversion = await findConversionOfReferral(db, accountId, referralId)
  if (!conversion) throw notFound('referral')
  return presentAttribution(conversion.attribution)
}
