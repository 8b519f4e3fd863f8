import type { Tx } from '../../db/database.ts'
import { hasSignedInFrom } from '../../programme/affiliates/affiliate.store.ts'
import { suspicions } from './fraud-rules.ts'

/** The fraud suspicions against crediting this affiliate for this customer; empty if there are none. */
export async function suspicionsOf(
  tx: Tx,
  accountId: number,
  affiliate: { id: number; email: string; paypal_email: string | null },
  customer: { ref: string; addressHash: Buffer | null | undefined },
): Promise<string[]> {
  return suspicions({
    email: affiliate.email,
    paypalEmail: affiliate.paypal_email,
    isCustomer: () => false,
    customerRef: customer.ref,
    clickedFromOwnAddress: customer.addressHash
      ? await hasSignedInFrom(tx, accountId, affiliate.id, customer.addressHash)
      : false,
  })
}
