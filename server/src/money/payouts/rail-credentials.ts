import type { Db } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import type { PayPalCredentials } from '../rails/paypal.ts'
import { findCredentials, upsertCredentials } from './rail-credentials.store.ts'
import { resumeSubmissions } from './submission.store.ts'

/** Stores an account's PayPal credentials, encrypted with this installation's key. */
export async function setPayPalCredentials(
  db: Db,
  secrets: SecretBox,
  accountId: number,
  credentials: PayPalCredentials,
): Promise<void> {
  const { clientId, clientSecret } = credentials
  for (const [field, text] of Object.entries({ client_id: clientId, client_secret: clientSecret }))
    if (!/^[\x21-\x7e]{1,500}$/.test(text)) throw invalid(field, 'must be 1 to 500 visible ASCII characters')
  // HTTP Basic splits the credentials at the first colon.
  if (clientId.includes(':')) throw invalid('client_id', 'must not contain a colon')
  const sealed = secrets.seal('rail credentials', accountId, JSON.stringify({ clientId, clientSecret }))
  await upsertCredentials(db, accountId, 'paypal', sealed)
  await resumeSubmissions(db, accountId)
}

export async function payPalCredentials(
  db: Db,
  secrets: SecretBox,
  accountId: number,
): Promise<PayPalCredentials | undefined> {
  const sealed = await findCredentials(db, accountId, 'paypal')
  return sealed && JSON.parse(secrets.open('rail credentials', accountId, sealed))
}
