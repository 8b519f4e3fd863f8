import { randomBytes } from 'node:crypto'
import { numberedProviders } from '@tributary/contract/dashboard/connector-providers'
import type { Db, Tx } from '../db/database.ts'
import type { Services } from '../db/services.ts'
import { conflict, invalid, invalidState, notFound } from '../kit/domain-error.ts'
import { parseUrl } from '../kit/url.ts'
import { lockAccount } from '../programme/accounts/account.store.ts'
import { campaignTerms } from '../programme/campaigns/campaign-terms.ts'
import { makeFailedCodesDue } from './codes/code.store.ts'
import {
  type ConnectorRow,
  findConnector,
  insertConnector,
  listConnectors,
  removeConnector,
  updateSecrets,
} from './connector.store.ts'
import { findEventState, makeDue } from './connector-event.store.ts'
import { isNumbered } from './connector-name.ts'
import { makeFailedCreditsDue } from './credits/credit.store.ts'
import type { BillingProvider, ReadSettings } from './provider.ts'
import { providerNames, providerOf } from './providers.ts'

export interface AddConnector {
  provider: string
  /** Tells several connectors of a system apart that numbers its orders from 1. */
  name?: string | undefined
  /** Absent if the provider shows it only once it knows the URL: until it is set, every event is refused. */
  signingSecret?: string | undefined
  apiKey?: string | undefined
  apiUrl?: string | undefined
  campaignId?: number | undefined
  base?: ReadSettings['base'] | undefined
  takesTests?: boolean | undefined
  mapping?: Record<string, unknown> | undefined
}

const LONGEST_SECRET = 1000

/** Rejects a mapping that the provider can't read, before any event arrives. */
function assertMapping(provider: BillingProvider, mapping: ReadSettings['mapping'] | undefined): void {
  const { mappingProblem } = provider
  if (!mappingProblem && mapping) throw invalid('mapping', `is not used for ${provider.name}`)
  const problem = mappingProblem?.(mapping ?? {})
  if (problem !== undefined) throw invalid('mapping', problem)
}

/** The URL to enter at the provider. */
export const webhookUrl = (baseUrl: string, { provider, id }: Pick<ConnectorRow, 'provider' | 'id'>) =>
  `${baseUrl}/connect/${provider}/${id}`

/** A missing one is fine; an empty one would be a key that everybody knows. */
function checkSecrets({ signingSecret, apiKey }: Pick<AddConnector, 'signingSecret' | 'apiKey'>): void {
  for (const [name, secret] of [
    ['signing_secret', signingSecret],
    ['api_key', apiKey],
  ] as const)
    if (secret !== undefined && (secret.length < 1 || secret.length > LONGEST_SECRET))
      throw invalid(name, `must have 1 to ${LONGEST_SECRET} characters`)
}

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/

/** Only these have names: the IDs of the others are unique at the provider. */
function checkName({ provider, name }: AddConnector): void {
  if (name === undefined) return
  if (!isNumbered({ provider })) throw invalid('name', `is only used for ${numberedProviders.join(' and ')}`)
  if (!NAME.test(name)) throw invalid('name', 'must have 1 to 32 lower-case letters, digits and hyphens')
}

/** The order numbers of two shops in one account would be taken for each other's, unless one has a name. */
async function assertNameFree(tx: Tx, accountId: number, { provider, name }: AddConnector): Promise<void> {
  if (!isNumbered({ provider })) return
  // In a separate statement: of two at once, the second sees the first one's connector.
  await lockAccount(tx, accountId)
  const connectors = await listConnectors(tx, accountId)
  if (!connectors.some(other => other.provider === provider && other.name === (name ?? null))) return
  throw conflict(
    name === undefined
      ? `This account already has a ${provider} connector. Give this one a name, such as the shop's, so that their order numbers don't clash.`
      : `This account already has a ${provider} connector with this name.`,
  )
}

/** Adds a connector. Its secrets are stored encrypted. */
export function addConnector(
  db: Db,
  secrets: Services['secrets'],
  accountId: number,
  request: AddConnector,
): Promise<ConnectorRow> {
  const { provider, signingSecret, apiKey, apiUrl, campaignId, base = 'net', takesTests = false } = request
  checkSecrets(request)
  checkName(request)
  if (apiUrl !== undefined && !/^https?:$/.test(parseUrl(apiUrl)?.protocol ?? ''))
    throw invalid('api_url', 'must be an http or https URL')
  return db.transaction(async tx => {
    const found = await providerOf(provider)
    if (!found) throw invalid('provider', `must be one of ${providerNames.join(', ')}`)
    assertMapping(found, request.mapping)
    if (campaignId !== undefined && !(await campaignTerms(tx, accountId, campaignId)))
      throw invalid('campaign_id', 'does not match a campaign in this account')
    await assertNameFree(tx, accountId, request)
    const connector = await insertConnector(tx, accountId, {
      provider,
      name: request.name ?? null,
      sealedSecret: secrets.seal(
        'connector secret',
        accountId,
        signingSecret ?? randomBytes(32).toString('hex'),
      ),
      needsSecret: signingSecret === undefined,
      sealedApiKey: apiKey === undefined ? null : secrets.seal('connector key', accountId, apiKey),
      apiUrl: apiUrl ?? null,
      campaignId: campaignId ?? null,
      base,
      takesTests,
      mapping: request.mapping ?? {},
    })
    // What a removed connector of the same provider could not finish.
    if (apiKey !== undefined) await makeFailedCreditsDue(tx, accountId, connector.id)
    return connector
  })
}

export async function getConnector(db: Db, accountId: number, id: number): Promise<ConnectorRow> {
  const connector = await findConnector(db, accountId, id)
  if (!connector) throw notFound('connector')
  return connector
}

/** Sets the signing secret, the API key or both. Events that are signed with the old secret are refused from then on. */
export async function setConnectorSecrets(
  db: Db,
  secrets: Services['secrets'],
  accountId: number,
  id: number,
  request: Pick<AddConnector, 'signingSecret' | 'apiKey'>,
): Promise<ConnectorRow> {
  const { signingSecret, apiKey } = request
  checkSecrets(request)
  const connector = await updateSecrets(db, accountId, id, {
    sealedSecret:
      signingSecret === undefined ? null : secrets.seal('connector secret', accountId, signingSecret),
    sealedApiKey: apiKey === undefined ? null : secrets.seal('connector key', accountId, apiKey),
  })
  if (!connector) throw notFound('connector')
  // What failed may have failed because of the old key.
  if (apiKey !== undefined) {
    await makeFailedCodesDue(db, accountId, id)
    await makeFailedCreditsDue(db, accountId, id)
  }
  return connector
}

/** Removes a connector: it accepts no more events. What its events made stays. */
export async function endConnector(db: Db, accountId: number, id: number): Promise<void> {
  if (!(await removeConnector(db, accountId, id))) throw notFound('connector')
  // Another connector of the same provider can make its changes of balances.
  await makeFailedCreditsDue(db, accountId, id)
}

/** Processes events again: one by the provider's ID of it, or all that failed. What they made already is not made twice. */
export async function replayBillingEvents(
  db: Db,
  accountId: number,
  connectorId: number,
  which: { providerId?: string | undefined },
): Promise<{ events: number }> {
  await getConnector(db, accountId, connectorId)
  const events = await makeDue(db, accountId, connectorId, {
    ...which,
    failed: which.providerId === undefined,
  })
  if (which.providerId !== undefined && events === 0) {
    if (!(await findEventState(db, { accountId, connectorId }, which.providerId))) throw notFound('event')
    throw invalidState('The body of this event was deleted, so it cannot be processed again.')
  }
  return { events }
}
