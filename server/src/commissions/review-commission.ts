import type { Commission, UpdateCommission } from '@tributary/contract'
import type { Db } from '../db/database.ts'
import { invalidState, notFound } from '../kit/domain-error.ts'
import { settlePendingEntry } from '../ledger/move-status.ts'
import { presentCommission } from './commission.presenter.ts'
import { findCommission } from './commission.store.ts'

/** Approves or voids a commission. Only a pending one can be; any other stays as it is and the caller is told. */
export function reviewCommission(
  db: Db,
  accountId: number,
  id: number,
  decision: UpdateCommission['status'],
): Promise<Commission> {
  return db.transaction(async tx => {
    const moved = await settlePendingEntry(tx, accountId, id, decision)
    const commission = await findCommission(tx, accountId, id)
    if (!commission) throw notFound('commission')
    if (!moved)
      throw invalidState(
        `The commission is ${commission.status}; only a pending one can be ${decision === 'void' ? 'voided' : 'approved'}.`,
      )
    return presentCommission(commission)
  })
}
