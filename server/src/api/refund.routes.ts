import { reportRefund } from '../earning/refunds/report-refund.ts'
import type { Handler } from './call.ts'

export const create: Handler<'createRefund'> = async ({ db, accountId, body }) => {
  const { created, result } = await reportRefund(db, accountId, body)
  return { status: created ? 201 : 200, body: result }
}
