import type { CreateWebhookEndpoint, WebhookEndpointCreated } from '@tributary/contract'
import type { Services } from '../../db/services.ts'
import { conflict, invalid } from '../../kit/domain-error.ts'
import { newWebhookSecret } from '../../kit/tokens.ts'
import { destinationPolicy, urlProblem } from '../delivery/destination.ts'
import { presentWebhookEndpoint } from './webhook-endpoint.presenter.ts'
import { insertWebhookEndpoint, lockAndCountEndpoints } from './webhook-endpoint.store.ts'

/** Subscribes a URL to events. The signing secret is returned here and never again. */
export async function subscribeEndpoint(
  { db, secrets, settings }: Services,
  accountId: number,
  { url, events }: CreateWebhookEndpoint,
): Promise<WebhookEndpointCreated> {
  const problem = urlProblem(url, destinationPolicy(settings))
  if (problem) throw invalid('url', problem)
  const secret = newWebhookSecret()
  const max = settings.TRIBUTARY_MAX_WEBHOOK_ENDPOINTS
  const endpoint = await db.transaction(async tx => {
    // Every event creates a delivery for each endpoint: without a limit, one account could overload the service.
    if ((await lockAndCountEndpoints(tx, accountId)) >= max)
      throw conflict(`This account has reached its limit of ${max} webhook endpoints. Delete one first.`)
    return insertWebhookEndpoint(tx, accountId, {
      url,
      events: [...new Set(events)],
      sealedSecret: secrets.seal('webhook secret', accountId, secret),
    })
  })
  return { ...presentWebhookEndpoint(endpoint), secret }
}
