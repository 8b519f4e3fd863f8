import { pageOf } from '../kit/page.ts'
import { subscribeEndpoint } from '../webhooks/endpoints/subscribe-endpoint.ts'
import { unsubscribeEndpoint } from '../webhooks/endpoints/unsubscribe-endpoint.ts'
import { presentWebhookEndpoint } from '../webhooks/endpoints/webhook-endpoint.presenter.ts'
import { listWebhookEndpoints } from '../webhooks/endpoints/webhook-endpoint.store.ts'
import type { Handler } from './call.ts'

export const list: Handler<'listWebhookEndpoints'> = async ({ db, accountId, query }) => ({
  status: 200,
  body: pageOf(await listWebhookEndpoints(db, accountId, query), query.limit, presentWebhookEndpoint),
})

export const create: Handler<'createWebhookEndpoint'> = async ({ accountId, body, ...services }) => ({
  status: 201,
  body: await subscribeEndpoint(services, accountId, body),
})

export const remove: Handler<'deleteWebhookEndpoint'> = async ({ db, accountId, id }) => {
  await unsubscribeEndpoint(db, accountId, id)
  return { status: 204, body: undefined }
}
