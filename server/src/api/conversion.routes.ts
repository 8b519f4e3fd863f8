import { reportConversion } from '../earning/conversions/report-conversion.ts'
import type { Handler } from './call.ts'

export const create: Handler<'createConversion'> = async ({ db, accountId, body }) => {
  const { created, result } = await reportConversion(db, accountId, body)
  return { status: created ? 201 : 200, body: result }
}
