import type { CreateWebhookEndpoint, WebhookEndpointCreated } from '@tributary/contract'
import type { Services } from '../../db/services.ts'
import { conflict, invalid } from '../../kit/domain-error.ts'
import { newWebhookSecret } from '../../kit/tokens.ts'
import { destinationPolicy, refusalOf } from '../delivery/destination.ts'
import { presentWebhookEndpoint } from './webhook-endpoint.presenter.ts'
import { countEndpointsAlone, insertWebhookEndpoint } from './webhook-endpoint.store.ts'

/** Subscribes an address to events. Its signing secret is in this answer and never again. */
export async function subscribeEndpoint(
  { db, secrets, settings }: Services,
  accountId: number,
  { url, events }: CreateWebhookEndpoint,
): Promise<WebhookEndpointCreated> {
  const refusal = refusalOf(url, destinationPolicy(settings))
  if (refusal) throw invalid('url', refusal)
  const secret = newWebhookSecret()
  const most = settings.TRIBUTARY_MAX_WEBHOOK_ENDPOINTS
  const endpoint = await db.transaction(async tx => {
    // Every event makes a delivery for each of them: without a limit, one account's events could be everybody's load.
    if ((await countEndpointsAlone(tx, accountId)) >= most)
      throw conflict(`This account has ${most} webhook endpoints, the most it may have. Delete one first.`)
    return insertWebhookEndpoint(tx, accountId, {
      url,
      events: [...new Set(events)],
      sealedSecret: secrets.seal('webhook secret', accountId, secret),
    })
  })
  return { ...presentWebhookEndpoint(endpoint), secret }
}
