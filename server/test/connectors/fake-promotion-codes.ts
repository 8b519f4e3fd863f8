import type Stripe from 'stripe'
import { unique } from '../factories.ts'
import { type FakeCall, type FakeResponse, rejected } from './fake-stripe.ts'

const PATH = '/v1/promotion_codes'

/** Promotion codes and coupons of Stripe: of active codes, one has a name. */
export class FakePromotionCodes {
  readonly codes: Stripe.PromotionCode[] = []
  readonly coupons: string[] = []

  add(code: string, coupon: string, metadata: Stripe.Metadata = {}): Stripe.PromotionCode {
    const made: Stripe.PromotionCode = {
      id: unique('promo'),
      object: 'promotion_code',
      active: true,
      code,
      created: 1_767_225_600,
      customer: null,
      customer_account: null,
      expires_at: null,
      livemode: true,
      max_redemptions: null,
      metadata,
      promotion: { type: 'coupon', coupon },
      restrictions: { first_time_transaction: false, minimum_amount: null, minimum_amount_currency: null },
      times_redeemed: 0,
    }
    this.codes.push(made)
    return made
  }

  active = (code: string) => this.codes.filter(each => each.active && this.#is(each, code))

  #is = (each: Stripe.PromotionCode, code: string) => each.code.toLowerCase() === code.toLowerCase()

  readonly handle = ({ method, path, query, form }: FakeCall): FakeResponse | undefined => {
    const [, , kind, id] = path.split('/')
    if (kind === 'coupons')
      return this.coupons.includes(`${id}`)
        ? { status: 200, body: { id, object: 'coupon' } }
        : rejected(`No such coupon: '${id}'`, 404)
    if (kind !== 'promotion_codes') return undefined
    if (id === undefined) return method === 'POST' ? this.#create(form) : this.#list(query)
    const found = this.codes.find(each => each.id === id)
    if (!found) return rejected(`No such promotion code: '${id}'`, 404)
    if (method === 'POST') found.active = form.get('active') === 'true'
    return { status: 200, body: found }
  }

  #create(form: URLSearchParams): FakeResponse {
    const [code, coupon] = [`${form.get('code')}`, `${form.get('promotion[coupon]')}`]
    if (!this.coupons.includes(coupon)) return rejected(`No such coupon: '${coupon}'`)
    if (this.active(code).length > 0)
      return rejected(`An active promotion code with \`code: ${code}\` already exists.`)
    const metadata = [...form]
      .map(([name, value]) => [/^metadata\[(.*)\]$/.exec(name)?.[1], value])
      .filter(([name]) => name)
    return { status: 200, body: this.add(code, coupon, Object.fromEntries(metadata)) }
  }

  #list(query: URLSearchParams): FakeResponse {
    const data = this.codes
      .filter(each => !query.has('code') || this.#is(each, `${query.get('code')}`))
      .filter(each => !query.has('active') || String(each.active) === query.get('active'))
    return { status: 200, body: { object: 'list', url: PATH, data, has_more: false } }
  }
}
