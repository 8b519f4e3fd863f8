/** The SDK's types are the contract's: what the service would refuse does not compile. */
import type { operations } from '@tributary/contract'
import type { Static, TSchema } from 'typebox'
import { describe, expectTypeOf, it } from 'vitest'
import type { Answer, Call, Event, List, Tributary, TributaryError, TributaryErrorCode } from './index.ts'

type Operations = typeof operations
type Body<O extends keyof Operations> = Operations[O] extends { body: infer B extends TSchema }
  ? Static<B>
  : never
type Query<O extends keyof Operations> = Static<Operations[O]['query']>
type Success<O extends keyof Operations> = Operations[O]['success'][keyof Operations[O]['success']]
type Result<O extends keyof Operations> =
  Success<O> extends { schema: infer S extends TSchema } ? Static<S> : never

type Affiliates = Tributary['affiliates']
type Row<L> = L extends List<infer T> ? T : never
type Data<C> = C extends Call<infer T> ? T : never

describe('every method has the types of its operation', () => {
  it('requests', () => {
    expectTypeOf<Parameters<Affiliates['create']>[0]>().toEqualTypeOf<Body<'createAffiliate'>>()
    expectTypeOf<Parameters<Affiliates['update']>[1]>().toEqualTypeOf<Body<'updateAffiliate'>>()
    expectTypeOf<Parameters<Tributary['commissions']['update']>[1]>().toEqualTypeOf<
      Body<'updateCommission'>
    >()
    expectTypeOf<Parameters<Tributary['webhookEndpoints']['create']>[0]>().toEqualTypeOf<
      Body<'createWebhookEndpoint'>
    >()
    expectTypeOf<Parameters<Tributary['conversions']['create']>[0]>().toEqualTypeOf<
      Body<'createConversion'>
    >()
    expectTypeOf<Parameters<Tributary['sales']['create']>[0]>().toEqualTypeOf<Body<'createSale'>>()
    expectTypeOf<Parameters<Tributary['refunds']['create']>[0]>().toEqualTypeOf<Body<'createRefund'>>()
  })

  it('filters', () => {
    type Filters<R extends 'affiliates' | 'campaigns' | 'referrals' | 'commissions' | 'payouts'> =
      NonNullable<Parameters<Tributary[R]['list']>[0]>
    expectTypeOf<Filters<'affiliates'>>().toEqualTypeOf<Query<'listAffiliates'>>()
    expectTypeOf<Filters<'campaigns'>>().toEqualTypeOf<Query<'listCampaigns'>>()
    expectTypeOf<Filters<'referrals'>>().toEqualTypeOf<Query<'listReferrals'>>()
    expectTypeOf<Filters<'commissions'>>().toEqualTypeOf<Query<'listCommissions'>>()
    expectTypeOf<Filters<'payouts'>>().toEqualTypeOf<Query<'listPayouts'>>()
    expectTypeOf<NonNullable<Parameters<Tributary['webhookEndpoints']['list']>[0]>>().toEqualTypeOf<
      Query<'listWebhookEndpoints'>
    >()
  })

  it('results', () => {
    type Got<R extends 'affiliates' | 'campaigns' | 'referrals' | 'commissions' | 'payouts'> = Data<
      ReturnType<Tributary[R]['get']>
    >
    expectTypeOf<Got<'affiliates'>>().toEqualTypeOf<Result<'getAffiliate'>>()
    expectTypeOf<Got<'campaigns'>>().toEqualTypeOf<Result<'getCampaign'>>()
    expectTypeOf<Got<'referrals'>>().toEqualTypeOf<Result<'getReferral'>>()
    expectTypeOf<Got<'commissions'>>().toEqualTypeOf<Result<'getCommission'>>()
    expectTypeOf<Got<'payouts'>>().toEqualTypeOf<Result<'getPayout'>>()
    expectTypeOf<Data<ReturnType<Affiliates['create']>>>().toEqualTypeOf<Result<'createAffiliate'>>()
    expectTypeOf<Data<ReturnType<Affiliates['createMagicLink']>>>().toEqualTypeOf<Result<'createMagicLink'>>()
    expectTypeOf<Data<ReturnType<Tributary['webhookEndpoints']['create']>>>().toEqualTypeOf<
      Result<'createWebhookEndpoint'>
    >()
    expectTypeOf<Data<ReturnType<Tributary['conversions']['create']>>>().toEqualTypeOf<
      Result<'createConversion'>
    >()
    expectTypeOf<Data<ReturnType<Tributary['sales']['create']>>>().toEqualTypeOf<Result<'createSale'>>()
    expectTypeOf<Data<ReturnType<Tributary['refunds']['create']>>>().toEqualTypeOf<Result<'createRefund'>>()
  })

  it('rows and pages', () => {
    type AffiliatePage = Data<ReturnType<List<Row<ReturnType<Affiliates['list']>>>['page']>>
    expectTypeOf<AffiliatePage>().toEqualTypeOf<Result<'listAffiliates'>>()
    expectTypeOf<Row<ReturnType<Tributary['webhookEndpoints']['list']>>>().toEqualTypeOf<
      Result<'listWebhookEndpoints'>['data'][number]
    >()
  })
})

// Only type-checked, never called. A missing expected error fails `npm run typecheck`.
export async function mustNotCompile(tributary: Tributary, event: Event, error: TributaryError) {
  // @ts-expect-error: a field that is not in the contract
  await tributary.affiliates.create({ email: 'a@b.c', campaign_id: 1, nickname: 'Jane' })
  // @ts-expect-error: a required field is missing
  await tributary.affiliates.create({ email: 'a@b.c' })
  // @ts-expect-error: a value that is not in the enum
  await tributary.affiliates.update(1, { status: 'pending' })
  // @ts-expect-error: null for a field that is not nullable
  await tributary.affiliates.update(1, { email: null })
  // @ts-expect-error: an id is a number
  await tributary.affiliates.get('1')
  // @ts-expect-error: a filter that this list does not have
  tributary.payouts.list({ email: 'a@b.c' })
  const sale = { customer_ref: 'c', external_id: 's', currency: 'USD' }
  // @ts-expect-error: an amount is an integer in minor units, not a string
  await tributary.sales.create({ ...sale, amount_minor: '49.00' })
  // @ts-expect-error: an event kind that does not exist
  await tributary.webhookEndpoints.create({ url: 'https://x.example', events: ['affiliate.approved'] })
  // @ts-expect-error: an option that a call does not take
  await tributary.affiliates.get(1, { timeout: 1000 })
  // @ts-expect-error: reads have no idempotency key
  await tributary.affiliates.get(1, { idempotencyKey: 'x' })
  // @ts-expect-error: a code that no error has
  if (error.code === 'rate_limit') return // @ts-expect-error: a field that the response does not have
  ;(await tributary.affiliates.get(1)).nickname
  if (event.type === 'payout.paid') event.data.items satisfies unknown[]
  // @ts-expect-error: which fields an event has depends on its type
  event.data.items
}

it('errors are typed', () => {
  expectTypeOf<TributaryError['code']>().toEqualTypeOf<TributaryErrorCode>()
  expectTypeOf<Operations[keyof Operations]['errors'][number]>().toExtend<TributaryErrorCode>()
  expectTypeOf<Awaited<ReturnType<Call<number>['withResponse']>>>().toEqualTypeOf<Answer<number>>()
})
