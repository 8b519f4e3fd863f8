import type { Handler } from '../kit/endpoint.ts'
import { pageOf } from '../kit/page.ts'
import { subscribeEndpoint } from './subscribe-endpoint.ts'
import { unsubscribeEndpoint } from './unsubscribe-endpoint.ts'
import { presentWebhookEndpoint } from './webhook-endpoint.presenter.ts'
import { listWebhookEndpoints } from './webhook-endpoint.store.ts'

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
