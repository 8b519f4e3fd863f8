import type { Referral } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { presentReferral } from './referral.presenter.ts'
import { findReferralsOfCustomer, shareReferral } from './referral.store.ts'

/** At most one in each campaign, none of which can be reviewed until the transaction ends. */
export const referralsOfCustomer = async (
  tx: Tx,
  accountId: number,
  customerRef: string,
): Promise<Referral[]> => (await findReferralsOfCustomer(tx, accountId, customerRef)).map(presentReferral)

/** A referral that something else refers to, and that therefore exists; it cannot be reviewed until the transaction ends. */
export async function referralById(tx: Tx, accountId: number, id: number): Promise<Referral> {
  const referral = await shareReferral(tx, accountId, id)
  if (!referral) throw new Error(`Referral ${id} is missing.`)
  return presentReferral(referral)
}
