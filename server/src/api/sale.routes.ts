import { reportSale } from '../earning/sales/report-sale.ts'
import type { Handler } from './call.ts'

export const create: Handler<'createSale'> = async ({ db, accountId, body }) => {
  const { created, result } = await reportSale(db, accountId, body)
  return { status: created ? 201 : 200, body: result }
}
