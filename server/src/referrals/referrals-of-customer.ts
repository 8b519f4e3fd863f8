import type { Referral } from '@tributary/contract'
import type { Db } from '../db/database.ts'
import { presentReferral } from './referral.presenter.ts'
import { findReferral, findReferralsOfCustomer } from './referral.store.ts'

/** At most one in each campaign. */
export const referralsOfCustomer = async (
  db: Db,
  accountId: number,
  customerRef: string,
): Promise<Referral[]> => (await findReferralsOfCustomer(db, accountId, customerRef)).map(presentReferral)

/** A referral that something else refers to, and that therefore exists. */
export async function referralById(db: Db, accountId: number, id: number): Promise<Referral> {
  const referral = await findReferral(db, accountId, id)
  if (!referral) throw new Error(`Referral ${id} is missing.`)
  return presentReferral(referral)
}
