import type { Referral } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { presentReferral } from './referral.presenter.ts'
import { findReferralsOfCustomer, shareLockReferral } from './referral.store.ts'

/** At most one in each campaign. Share-locked against review until the transaction ends. */
export const referralsOfCustomer = async (
  tx: Tx,
  accountId: number,
  customerRef: string,
): Promise<Referral[]> => (await findReferralsOfCustomer(tx, accountId, customerRef)).map(presentReferral)

/** A referral that must exist because another row references it. Share-locked against review until the transaction ends. */
export async function referralById(tx: Tx, accountId: number, id: number): Promise<Referral> {
  const referral = await shareLockReferral(tx, accountId, id)
  if (!referral) throw new Error(`Referral ${id} is missing.`)
  return presentReferral(referral)
}
