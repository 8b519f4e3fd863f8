import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '../../db/services.ts'
import { notFound } from '../../kit/domain-error.ts'
import { idFrom } from '../../kit/path-id.ts'
import { isUnsubscribeKey, unsubscribe } from '../../programme/digests/unsubscribe.ts'
import { sendPlainPage } from '../response/plain-page.ts'

const PATH = '/unsubscribe/:account/:user/:key'

const ask = {
  title: 'Unsubscribe from the weekly digest',
  text: "You'll no longer get a weekly email about this affiliate programme.",
  button: { label: 'Unsubscribe' },
}
const done = {
  title: "You're unsubscribed",
  text: 'You can subscribe again in the dashboard, under Settings → Profile.',
  button: { label: 'Open dashboard', href: '/dashboard' },
}

/** The page that unsubscribes a team member, as the portal's does an affiliate. The key is checked without a query. */
export function teamUnsubscribePages({ db, secrets }: Services) {
  const linked = (request: FastifyRequest) => {
    const { account, user, key } = request.params as { account: string; user: string; key: string }
    const subscription = { accountId: idFrom(account), kind: 'team', id: idFrom(user) } as const
    if (!isUnsubscribeKey(secrets, subscription, key)) throw notFound('page')
    return subscription
  }
  return async function register(app: FastifyInstance): Promise<void> {
    app.get(PATH, async (request, reply) => {
      linked(request)
      return sendPlainPage(reply, ask)
    })
    app.post(PATH, async (request, reply) => {
      await unsubscribe(db, linked(request), request.ip)
      return sendPlainPage(reply, done)
    })
  }
}
