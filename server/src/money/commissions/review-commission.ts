import type { Commission, UpdateCommission } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { presentCommission } from './commission.presenter.ts'
import { findCommission } from './commission.store.ts'
import { settleEntry } from './settle-entry.ts'

/**
 * Approves or voids a commission, which must be pending. Calls `onMoved` with the ids of the entries that changed: the commission and its
 * pending clawbacks.
 */
export function reviewCommission(
  db: Db,
  accountId: number,
  id: number,
  decision: UpdateCommission['status'],
  onMoved: (ids: number[]) => void = () => undefined,
): Promise<Commission> {
  return db.transaction(async tx => {
    const { moved } = await settleEntry(tx, accountId, id, decision)
    onMoved(moved)
    const commission = await findCommission(tx, accountId, id)
    if (!commission) throw notFound('commission')
    if (moved.length === 0)
      throw invalidState(
        `The commission is ${commission.status}; only a pending commission can be ${decision === 'void' ? 'voided' : 'approved'}.`,
      )
    return presentCommission(commission)
  })
}
