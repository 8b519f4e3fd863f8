import type { DeliveryDetail } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { requestHeaders } from '../delivery/request-headers.ts'
import { findDelivery } from './delivery-log.store.ts'

/**
 * A delivery with its requests and responses. A signature can be replayed for a few minutes, so it is shown only to users who could
 * create one anyway.
 */
export async function showDelivery(
  { db, secrets }: { db: Db; secrets: SecretBox },
  accountId: number,
  id: number,
  maySeeSignatures: boolean,
): Promise<DeliveryDetail> {
  const found = await findDelivery(db, accountId, id)
  if (!found) throw notFound('delivery')
  const { sealed_secret, attempts, ...delivery } = found
  const secret =
    maySeeSignatures && sealed_secret ? secrets.open('webhook secret', accountId, sealed_secret) : undefined
  return {
    ...delivery,
    attempts: attempts.map(attempt => {
      const timing = { number: attempt.number, startedAtMs: Date.parse(attempt.started_at) }
      return { ...attempt, headers: Object.entries(requestHeaders(delivery, timing, secret)) }
    }),
  }
}
