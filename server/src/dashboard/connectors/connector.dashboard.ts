import { setCodeCoupon } from '../../connectors/codes/manage-codes.ts'
import { presentConnector, presentEvent } from '../../connectors/connector.presenter.ts'
import { type ConnectorRow, lastEventTimes, listConnectors } from '../../connectors/connector.store.ts'
import { listEvents } from '../../connectors/connector-event.store.ts'
import { setCredits } from '../../connectors/credits/grant-credits.ts'
import { presentMapping } from '../../connectors/custom/mapping-form.ts'
import {
  addConnector,
  endConnector,
  getConnector,
  replayBillingEvents,
  setConnectorSecrets,
} from '../../connectors/manage-connectors.ts'
import { setMapping } from '../../connectors/set-mapping.ts'
import type { Services } from '../../db/services.ts'
import { listFile } from '../../kit/list-file.ts'
import { pageAfter } from '../../kit/page.ts'
import type { DashboardCall, DashboardHandlers } from '../call.ts'

async function summaries({ db, baseUrl }: Services, accountId: number, connectors: ConnectorRow[]) {
  const lastEvents = await lastEventTimes(db, accountId)
  return connectors.map(connector => {
    const { api_url: _, ...shown } = presentConnector(baseUrl, connector)
    const mapping = connector.provider === 'custom' ? presentMapping(connector.mapping) : null
    return { ...shown, mapping, last_event_at: lastEvents.get(connector.id) ?? null }
  })
}

const summary = async (services: Services, accountId: number, connector: ConnectorRow) =>
  (await summaries(services, accountId, [connector]))[0] as Awaited<ReturnType<typeof summaries>>[number]

type EventsCall = Pick<DashboardCall<'listConnectorEvents'>, 'db' | 'accountId' | 'id' | 'query'>

async function eventsPage({ db, accountId, id, query }: EventsCall) {
  const { data, next } = pageAfter(await listEvents(db, accountId, id, query), query.limit)
  return { data: data.map(presentEvent).map(({ reason_code: _, ...event }) => event), next }
}

export const connectorDashboard: DashboardHandlers<
  | 'listConnectors'
  | 'getConnector'
  | 'createConnector'
  | 'setConnectorSecrets'
  | 'setConnectorMapping'
  | 'setConnectorCoupon'
  | 'setConnectorCredits'
  | 'removeConnector'
  | 'listConnectorEvents'
  | 'exportConnectorEvents'
  | 'replayConnectorEvents'
> = {
  listConnectors: async ({ accountId, ...services }) => ({
    data: await summaries(services, accountId, await listConnectors(services.db, accountId)),
  }),
  getConnector: async ({ accountId, id, ...services }) =>
    summary(services, accountId, await getConnector(services.db, accountId, id)),
  createConnector: async ({ accountId, body, note, ...services }) => {
    const { provider, name, campaign_id: campaignId, base, takes_tests: takesTests } = body
    const request = { provider, name, campaignId, base, takesTests }
    note({ provider, name })
    return summary(services, accountId, await addConnector(services.db, services.secrets, accountId, request))
  },
  setConnectorSecrets: async ({ accountId, id, body, note, ...services }) => {
    const request = { signingSecret: body.signing_secret, apiKey: body.api_key }
    const connector = await setConnectorSecrets(services.db, services.secrets, accountId, id, request)
    note({ provider: connector.provider, fields: Object.keys(body) })
    return summary(services, accountId, connector)
  },
  setConnectorMapping: async ({ db, accountId, id, body, note }) => {
    const { mapping, sample, dry_run: isDryRun = false } = body
    note({ sample: undefined })
    return setMapping(db, accountId, id, { mapping, sample, isDryRun })
  },
  setConnectorCoupon: async ({ accountId, id, body: { coupon }, note, ...services }) => {
    const connector = await setCodeCoupon(services, accountId, id, coupon)
    note({ provider: connector.provider, coupon })
    return summary(services, accountId, connector)
  },
  setConnectorCredits: async ({ accountId, id, body: { is_on: isOn }, note, ...services }) => {
    const connector = await setCredits(services, accountId, id, isOn)
    note({ provider: connector.provider, is_on: isOn })
    return summary(services, accountId, connector)
  },
  removeConnector: async ({ db, accountId, id, note }) => {
    note({ provider: (await getConnector(db, accountId, id)).provider })
    await endConnector(db, accountId, id)
    return {}
  },
  listConnectorEvents: async call => {
    await getConnector(call.db, call.accountId, call.id)
    return eventsPage(call)
  },
  exportConnectorEvents: async ({ db, files, accountId, id, query }) => {
    await getConnector(db, accountId, id)
    return listFile(
      `connector-${id}-events.csv`,
      [
        'id',
        'provider_id',
        'type',
        'status',
        'reason',
        'occurred_at',
        'received_at',
        'attempts',
        'referral_id',
        'sale_external_id',
        'refund_external_id',
      ],
      page => eventsPage({ db: files, accountId, id, query: { ...query, ...page } }),
    )
  },
  replayConnectorEvents: async ({ db, accountId, id, body, note }) => {
    const result = await replayBillingEvents(db, accountId, id, { providerId: body.provider_id })
    note({ event: body.provider_id, ...result })
    return result
  },
}
