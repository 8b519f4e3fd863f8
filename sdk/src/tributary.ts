import { refuse } from './checks.ts'
import { createList } from './list.ts'
import type { CallOptions, TributaryOptions, WriteOptions } from './options.ts'
import type {
  Affiliates,
  Campaigns,
  Commissions,
  Conversions,
  Payouts,
  Referrals,
  Refunds,
  Sales,
  WebhookEndpoints,
} from './resources.ts'
import type { Call, List } from './results.ts'
import { createTransport } from './transport.ts'

/** An API client for one account. */
export class Tributary {
  readonly affiliates: Affiliates
  readonly campaigns: Campaigns
  readonly referrals: Referrals
  readonly commissions: Commissions
  readonly payouts: Payouts
  readonly webhookEndpoints: WebhookEndpoints
  readonly conversions: Conversions
  readonly sales: Sales
  readonly refunds: Refunds

  // The key is kept in a closure, so that logging or serializing a client can't expose it.
  constructor(options: TributaryOptions) {
    const send = createTransport(options ?? refuse('pass { apiKey, baseUrl }.'))

    const listed = <T extends { id: number }>(path: string) => ({
      list: (filters: object = {}, options?: CallOptions): List<T> =>
        createList(query => send({ method: 'GET', path, query }, options), filters),
    })
    const readable = <T extends { id: number }>(path: string) => ({
      ...listed<T>(path),
      get: (id: number, options?: CallOptions): Call<T> =>
        send({ method: 'GET', path: `${path}/{id}`, id }, options),
    })
    const creatable = <Body extends object, Result>(path: string) => ({
      create: (body: Body, options?: WriteOptions): Call<Result> =>
        send({ method: 'POST', path, body }, options),
    })
    const updatable = <Changes extends object, T>(path: string) => ({
      update: (id: number, body: Changes, options?: WriteOptions): Call<T> =>
        send({ method: 'PATCH', path: `${path}/{id}`, id, body }, options),
    })

    const affiliates = '/api/v1/affiliates'
    this.affiliates = {
      ...readable(affiliates),
      ...creatable(affiliates),
      ...updatable(affiliates),
      createMagicLink: (id, options) =>
        send({ method: 'POST', path: `${affiliates}/{id}/magic_link`, id }, options),
    }
    this.campaigns = readable('/api/v1/campaigns')
    this.referrals = readable('/api/v1/referrals')
    const commissions = '/api/v1/commissions'
    const { update }: Pick<Commissions, 'update'> = updatable(commissions)
    this.commissions = {
      ...readable(commissions),
      update,
      approve: (id, options) => update(id, { status: 'approved' }, options),
      void: (id, options) => update(id, { status: 'void' }, options),
    }
    this.payouts = readable('/api/v1/payouts')
    const webhookEndpoints = '/api/v1/webhook_endpoints'
    this.webhookEndpoints = {
      ...listed(webhookEndpoints),
      ...creatable(webhookEndpoints),
      delete: (id, options) => send({ method: 'DELETE', path: `${webhookEndpoints}/{id}`, id }, options),
    }
    this.conversions = creatable('/ingest/v1/conversions')
    this.sales = creatable('/ingest/v1/sales')
    this.refunds = creatable('/ingest/v1/refunds')
  }
}
