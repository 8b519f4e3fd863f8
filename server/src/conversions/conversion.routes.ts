import type { Handler } from '../kit/endpoint.ts'
import { reportConversion } from './report-conversion.ts'

export const create: Handler<'createConversion'> = async ({ db, accountId, body }) => {
  const { created, result } = await reportConversion(db, accountId, body)
  return { status: created ? 201 : 200, body: result }
}
