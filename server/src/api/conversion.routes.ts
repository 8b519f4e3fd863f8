import { emailsKnownWith } from '../connectors/known-emails.ts'
import { reportConversion } from '../earning/conversions/report-conversion.ts'
import type { Handler } from './call.ts'

export const create: Handler<'createConversion'> = async ({ db, secrets, accountId, body }) => {
  const knownEmails = emailsKnownWith(secrets.key('lead email'))
  const { created, result } = await reportConversion(db, accountId, body, { knownEmails })
  return { status: created ? 201 : 200, body: result }
}
