import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { type ConnectorRow, findApiKey, findConnector } from '../connector.store.ts'
import type { CodesApi, ProviderApi } from '../provider.ts'
import { providerOf } from '../providers.ts'

export interface Calls {
  db: Db
  secrets: SecretBox
}

export interface OpenCodes {
  connector: ConnectorRow
  codes: CodesApi
  api: ProviderApi
}

/** The codes of a connector's provider, with the connector's API key. */
export async function openCodes({ db, secrets }: Calls, accountId: number, id: number): Promise<OpenCodes> {
  const connector = await findConnector(db, accountId, id)
  if (!connector) throw notFound('connector')
  const { codes } = (await providerOf(connector.provider)) ?? {}
  if (!codes) throw invalidState('Codes can only be created and assigned at Stripe.')
  const sealed = await findApiKey(db, accountId, id)
  if (!sealed) throw invalidState('The connector has no API key. Add one that may write promotion codes.')
  const key = secrets.open('connector key', accountId, sealed)
  return { connector, codes, api: { key, url: connector.api_url } }
}
