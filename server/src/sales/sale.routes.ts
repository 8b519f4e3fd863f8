import type { Handler } from '../kit/endpoint.ts'
import { reportSale } from './report-sale.ts'

export const create: Handler<'createSale'> = async ({ db, accountId, body }) => {
  const { created, result } = await reportSale(db, accountId, body)
  return { status: created ? 201 : 200, body: result }
}
