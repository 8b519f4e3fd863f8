import type { Handler } from '../kit/endpoint.ts'
import { reportRefund } from './report-refund.ts'

export const create: Handler<'createRefund'> = async ({ db, accountId, body }) => {
  const { created, result } = await reportRefund(db, accountId, body)
  return { status: created ? 201 : 200, body: result }
}
