import type { Db } from '../db/database.ts'
import { invalidState, notFound } from '../kit/domain-error.ts'
import type { SecretBox } from '../kit/secret-box.ts'
import { type ConnectorRow, findApiKey, findConnector } from './connector.store.ts'
import type { BillingProvider, ProviderApi } from './provider.ts'
import { providerOf } from './providers.ts'

export interface Calls {
  db: Db
  secrets: SecretBox
}

/** How long one run makes calls: a provider that hangs must not keep a service from stopping, nor one account hold up the others. */
export const RUN_MS = 5000

/** What only some providers have. */
type Feature = 'codes' | 'credits'

const problems: Record<Feature, { notHere: string; noKey: string }> = {
  codes: {
    notHere: 'Codes can only be created and assigned at Stripe.',
    noKey: 'The connector has no API key. Add one that may write promotion codes.',
  },
  credits: {
    notHere: 'Credit can only be granted at Stripe.',
    noKey: 'The connector has no API key. Add one that may write customers.',
  },
}

export interface OpenApi<Name extends Feature> {
  connector: ConnectorRow
  feature: NonNullable<BillingProvider[Name]>
  api: ProviderApi
}

/** A feature of a connector's provider, with the connector's API key. */
export async function openApi<Name extends Feature>(
  { db, secrets }: Calls,
  accountId: number,
  id: number,
  name: Name,
): Promise<OpenApi<Name>> {
  const connector = await findConnector(db, accountId, id)
  if (!connector) throw notFound('connector')
  const feature = (await providerOf(connector.provider))?.[name]
  if (!feature) throw invalidState(problems[name].notHere)
  const sealed = await findApiKey(db, accountId, id)
  if (!sealed) throw invalidState(problems[name].noKey)
  const key = secrets.open('connector key', accountId, sealed)
  return { connector, feature, api: { key, url: connector.api_url } }
}
