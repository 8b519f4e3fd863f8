import type { CreateWebhookEndpoint, WebhookEndpointCreated } from '@tributary/contract'
import { destinationPolicy, refusalOf } from '../delivery/destination.ts'
import { invalid } from '../kit/domain-error.ts'
import type { Services } from '../kit/endpoint.ts'
import { newWebhookSecret } from '../kit/tokens.ts'
import { presentWebhookEndpoint } from './webhook-endpoint.presenter.ts'
import { insertWebhookEndpoint } from './webhook-endpoint.store.ts'

/** Subscribes an address to events. Its signing secret is in this answer and never again. */
export async function subscribeEndpoint(
  { db, secrets, settings }: Services,
  accountId: number,
  { url, events }: CreateWebhookEndpoint,
): Promise<WebhookEndpointCreated> {
  const refusal = refusalOf(url, destinationPolicy(settings))
  if (refusal) throw invalid('url', refusal)
  const secret = newWebhookSecret()
  const endpoint = await insertWebhookEndpoint(db, accountId, {
    url,
    events: [...new Set(events)],
    sealedSecret: secrets.seal('webhook secret', accountId, secret),
  })
  return { ...presentWebhookEndpoint(endpoint), secret }
}
