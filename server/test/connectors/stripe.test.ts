/**
 * Protects what Stripe's events become: each sale earns once on what was really paid, each refund takes back its share, a refund that did
 * not happen gives it back, and every event says what it became and why.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { lookBack } from '../../src/earning/conversions/look-back.ts'
import { reportConversion } from '../../src/earning/conversions/report-conversion.ts'
import { noEmails } from '../../src/earning/conversions/suspicions-of.ts'
import { referralsOfCustomer } from '../../src/earning/referrals/referrals-of-customer.ts'
import { setCampaignStatus } from '../../src/programme/campaigns/set-campaign-status.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { approvedAffiliate, buildClick, entriesOf, openCampaign, percent } from '../ledger/scene.ts'
import { beacon } from '../tracking/scene.ts'
import {
  type Billing,
  connectStripe,
  deliver,
  earnedBySale,
  events,
  newCustomer,
  outcome,
  passWait,
  send,
  work,
} from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START, DAY } = stripe
const scene = useOwnScene()
let billing: Billing
beforeAll(async () => {
  billing = await connectStripe(scene)
})

/** A customer who came by the affiliate's token and paid one invoice of 100.00 plus 20.00 tax. */
async function subscribe(at = START, to: Billing = billing) {
  const [customer, invoice, payment] = [newCustomer(), unique('in'), unique('pi')]
  await send(
    scene,
    to,
    event(
      'checkout.session.completed',
      stripe.session(unique('cs'), { customer, created: at, client_reference_id: to.affiliate.token }),
      at,
    ),
    event('invoice.paid', stripe.invoice(invoice, { customer, created: at }), at + 1),
    event('invoice_payment.paid', stripe.invoicePayment(invoice, payment), at + 1),
  )
  return { customer, sale: `stripe:${invoice}`, invoice, payment }
}
const earned = async (sale: string, of: Billing = billing) => (await earnedBySale(scene, of))[sale]

describe('attribution', () => {
  it('credits the affiliate named by client_reference_id, also if the invoice came first', async () => {
    const customer = newCustomer()
    const paid = event(
      'invoice.paid',
      stripe.invoice('in_first', { customer, created: START + 60 }),
      START + 60,
    )
    await send(scene, billing, paid)
    await work(scene)
    expect(await outcome(scene, billing, paid)).toEqual({
      status: 'ignored',
      reason: `Customer ${customer} has no referral`,
    })
    const completed = event(
      'checkout.session.completed',
      stripe.session('cs_first', { customer, client_reference_id: billing.affiliate.token }),
      START + 61,
    )
    await send(scene, billing, completed)
    await work(scene)
    expect(await outcome(scene, billing, completed)).toEqual({ status: 'applied', reason: null })
    expect(await outcome(scene, billing, paid)).toEqual({ status: 'applied', reason: null })
    expect(await earned('stripe:in_first')).toBe(2000)
    const shown = (await events(scene, billing)).find(({ provider_id }) => provider_id === paid.id)
    expect(shown).toMatchObject({ sale_external_id: 'stripe:in_first', commission_ids: [expect.any(Number)] })
  })

  it('does not credit what the customer paid before the purchase began', async () => {
    const customer = newCustomer()
    const old = event(
      'invoice.paid',
      stripe.invoice('in_old', { customer, created: START - 90 * DAY }),
      START - 90 * DAY,
    )
    const completed = event(
      'checkout.session.completed',
      stripe.session('cs_old', { customer, client_reference_id: billing.affiliate.token }),
      START,
    )
    const late = event(
      'invoice.paid',
      stripe.invoice('in_late', { customer, created: START - 30 * DAY }),
      START - 30 * DAY,
    )
    const renewal = event(
      'invoice.paid',
      stripe.invoice('in_since', { customer, created: START + 30 * DAY }),
      START + 30 * DAY,
    )
    await send(scene, billing, old, completed)
    await work(scene)
    await send(scene, billing, late, renewal)
    await work(scene)
    expect(await earned('stripe:in_old')).toBeUndefined()
    expect(await earned('stripe:in_late')).toBeUndefined()
    expect(await earned('stripe:in_since')).toBe(2000)
  })

  it('takes an old token of the affiliate, for a campaign that is not archived', async () => {
    const { connector, campaign, affiliate } = await connectStripe(scene)
    const { database, account } = scene
    const open = await openCampaign(database, account.id)
    await scene.api.post('/affiliates', { email: affiliate.email, campaign_id: open.id })
    await setCampaignStatus(database.db, account.id, campaign.id, 'archived')
    await scene.api.patch(`/affiliates/${affiliate.id}`, { token: unique('renamed') })
    const customer = newCustomer()
    const completed = event(
      'checkout.session.completed',
      stripe.session(unique('cs'), { customer, client_reference_id: affiliate.token }),
      START,
    )
    await send(scene, { connector, campaign, affiliate }, completed)
    await work(scene)
    const referrals = await database.db.transaction(tx => referralsOfCustomer(tx, account.id, customer))
    expect(referrals).toMatchObject([{ affiliate_id: affiliate.id, campaign_id: open.id }])
  })

  it('takes metadata of the subscription, a typed code, and a promotion code by its ID', async () => {
    const { token, coupon_code } = billing.affiliate
    const at = START
    const customers = [newCustomer(), newCustomer(), newCustomer()]
    const [byMetadata, byCode, byPromotion] = customers as [string, string, string]
    const promotion = unique('promo')
    await send(
      scene,
      billing,
      event(
        'customer.subscription.created',
        stripe.subscription('sub_1', { customer: byMetadata, metadata: { via: token } }),
        at,
      ),
      event(
        'checkout.session.completed',
        stripe.session('cs_code', {
          customer: byCode,
          discounts: [{ promotion_code: { id: 'promo_0', code: coupon_code } }],
        }),
        at,
      ),
      event(
        'promotion_code.created',
        { id: promotion, object: 'promotion_code', code: coupon_code },
        at - DAY,
      ),
      event(
        'checkout.session.completed',
        stripe.session('cs_promo', {
          customer: byPromotion,
          discounts: [{ promotion_code: promotion, coupon: null }],
        }),
        at,
      ),
      ...customers.map((customer, index) =>
        event('invoice.paid', stripe.invoice(`in_by_${index}`, { customer, created: at + 1 }), at + 1),
      ),
    )
    await work(scene)
    expect(await Promise.all([0, 1, 2].map(index => earned(`stripe:in_by_${index}`)))).toEqual([
      2000, 2000, 2000,
    ])
  })

  it('takes metadata over client_reference_id, and a later name if an earlier one is unknown', async () => {
    const { affiliate } = billing
    const stranger = await approvedAffiliate(scene, billing.campaign.id)
    const visitor = { account: scene.account.slug, visitor_id: unique('visitor-0123456789') }
    const { body } = await beacon(scene, { ...visitor, token: stranger.token })
    const at = Math.floor(Date.now() / 1000) + 1
    const sales: string[] = []
    const buy = async (parts: Parameters<typeof stripe.session>[1], invoice: object = {}) => {
      const [customer, id] = [newCustomer(), unique('in')]
      sales.push(`stripe:${id}`)
      await send(
        scene,
        billing,
        event(
          'checkout.session.completed',
          stripe.session(unique('cs'), { customer, created: at, ...parts }),
          at,
        ),
        event('invoice.paid', stripe.invoice(id, { customer, created: at, ...invoice }), at),
      )
    }
    const via = { via: affiliate.token }
    await buy({ metadata: via, client_reference_id: 'user_42' })
    await buy({ metadata: via, client_reference_id: `${body.click_id}` })
    await buy({ metadata: { ref: 'PO-1', ...via } })
    await buy({ metadata: { ref: 'PO-1' }, client_reference_id: affiliate.token })
    const parent = { subscription_details: { subscription: 'sub_3', metadata: via } }
    await buy({}, { metadata: { ref: 'PO-1' }, parent })
    await work(scene)
    expect(await Promise.all(sales.map(sale => earned(sale)))).toEqual(sales.map(() => 2000))

    // The merchant's own number, beside a click that is not on record any more.
    await buy({ metadata: { tributary_click_id: '77777777' }, client_reference_id: `${body.click_id}` })
    await work(scene)
    const credited = await earnedBySale(scene, { ...billing, affiliate: stranger })
    expect(credited).toEqual({})
    // With no other name it is a click.
    await buy({ metadata: { ref: 'PO-1' }, client_reference_id: `${body.click_id}` })
    await work(scene)
    const clicked = await earnedBySale(scene, { ...billing, affiliate: stranger })
    expect(clicked).toEqual({ [sales.at(-1) as string]: 2000 })
  })

  it.each([
    ["keeps the connector's campaign", 'approved'],
    ['credits no one if its affiliate is rejected', 'rejected'],
  ])('by a coupon code beside a number in the reference %s', async (_, status) => {
    const { database, account } = scene
    const preferred = await openCampaign(database, account.id)
    const to = await connectStripe(scene, { campaignId: preferred.id })
    await scene.api.post('/affiliates', { email: to.affiliate.email, campaign_id: preferred.id })
    await scene.api.patch(`/affiliates/${to.affiliate.id}`, { status })
    const stranger = await approvedAffiliate(scene, to.campaign.id)
    const clickId = await buildClick(scene, { campaignId: to.campaign.id, affiliateId: stranger.id })
    const [customer, at] = [newCustomer(), Math.floor(Date.now() / 1000)]
    const completed = stripe.session(unique('cs'), {
      customer,
      created: at,
      client_reference_id: `${clickId}`,
      discounts: [{ promotion_code: { id: unique('promo'), code: to.affiliate.coupon_code } }],
    })
    await send(scene, to, event('checkout.session.completed', completed, at))
    await work(scene)
    const referrals = await database.db.transaction(tx => referralsOfCustomer(tx, account.id, customer))
    expect(referrals.map(({ affiliate_id, campaign_id }) => [affiliate_id, campaign_id])).toEqual(
      status === 'approved' ? [[to.affiliate.id, preferred.id]] : [],
    )
  })

  /** A checkout with the affiliate's code and a click in another campaign. */
  async function besideClick(ago: string) {
    const { database, account } = scene
    const to = await connectStripe(scene)
    const elsewhere = await openCampaign(database, account.id)
    const stranger = await approvedAffiliate(scene, elsewhere.id)
    const click = { campaignId: elsewhere.id, affiliateId: stranger.id, visitorId: unique('visitor'), ago }
    let clickId = await buildClick(scene, click)
    const clickAgain = async (affiliateId: number) => {
      clickId = await buildClick(scene, { ...click, affiliateId, ago: '1 minute' })
    }
    const [customer, at] = [newCustomer(), Math.floor(Date.now() / 1000)]
    const complete = async () => {
      const completed = stripe.session(unique('cs'), {
        customer,
        created: at,
        metadata: { click_id: `${clickId}` },
        discounts: [{ promotion_code: { id: unique('promo'), code: to.affiliate.coupon_code } }],
      })
      await send(scene, to, event('checkout.session.completed', completed, at))
      await work(scene)
    }
    const referrals = async () =>
      (await database.db.transaction(tx => referralsOfCustomer(tx, account.id, customer))).map(
        ({ affiliate_id, campaign_id }) => [affiliate_id, campaign_id],
      )
    return { to, elsewhere, stranger, customer, clickAgain, complete, referrals }
  }

  /** Before the checkout, whose time is in whole seconds. */
  async function pauseBefore(campaignId: number) {
    const { database, account } = scene
    await setCampaignStatus(database.db, account.id, campaignId, 'paused')
    const earlier = `UPDATE campaign_stops SET began_at = began_at - interval '1 minute' WHERE campaign_id = $1`
    await database.owner.query(earlier, [campaignId])
  }

  it.each([
    ['is credited in its campaign', 'approved', 'active', false, 'coupon'],
    ['leaves the credit to the click if its affiliate is rejected', 'rejected', 'active', false, 'click'],
    ['leaves the credit to the click if its campaign is paused', 'approved', 'paused', false, 'click'],
    ['keeps a customer that it has won before its campaign was paused', 'approved', 'paused', true, 'coupon'],
  ] as const)(
    'by a coupon code beside a click in another campaign %s',
    async (_, status, campaign, isKnown, wins) => {
      const { to, elsewhere, stranger, complete, referrals } = await besideClick('1 hour')
      if (isKnown) await complete()
      await scene.api.patch(`/affiliates/${to.affiliate.id}`, { status })
      if (campaign === 'paused') await pauseBefore(to.campaign.id)
      await complete()
      expect(await referrals()).toEqual(
        wins === 'coupon' ? [[to.affiliate.id, to.campaign.id]] : [[stranger.id, elsewhere.id]],
      )
    },
  )

  it('by a coupon code whose campaign is paused leaves the credit to the click, also if its affiliate is in a third campaign', async () => {
    const { database, account } = scene
    const { to, elsewhere, stranger, complete, referrals } = await besideClick('1 hour')
    const third = await openCampaign(database, account.id)
    await scene.api.post('/affiliates', { email: to.affiliate.email, campaign_id: third.id })
    await pauseBefore(to.campaign.id)
    await complete()
    expect(await referrals()).toEqual([[stranger.id, elsewhere.id]])
  })

  it.each(['rejected', 'paused'])(
    'by a click of a pending affiliate is noted for the approval, if the code beside it can never win: %s',
    async how => {
      const { database } = scene
      const { to, elsewhere, stranger, complete, referrals } = await besideClick('1 hour')
      await database.owner.query(`UPDATE affiliates SET status = 'pending' WHERE id = $1`, [stranger.id])
      if (how === 'rejected') await scene.api.patch(`/affiliates/${to.affiliate.id}`, { status: 'rejected' })
      else await pauseBefore(to.campaign.id)
      await complete()
      await scene.api.patch(`/affiliates/${stranger.id}`, { status: 'approved' })
      await lookBack(database.db, noEmails, 60_000)
      expect(await referrals()).toEqual([[stranger.id, elsewhere.id]])
    },
  )

  it('leaves the credit to an older click of the visitor, if the newest is of a rejected affiliate and the code can not win', async () => {
    const { to, elsewhere, stranger, clickAgain, complete, referrals } = await besideClick('1 hour')
    const rejected = await approvedAffiliate(scene, elsewhere.id)
    await clickAgain(rejected.id)
    await scene.api.patch(`/affiliates/${rejected.id}`, { status: 'rejected' })
    await pauseBefore(to.campaign.id)
    await complete()
    expect(await referrals()).toEqual([[stranger.id, elsewhere.id]])
  })

  it('keeps a customer whom the code has won in another campaign than the preferred one, which is paused', async () => {
    const { database, account } = scene
    const { to, customer, complete, referrals } = await besideClick('1 hour')
    const second = await openCampaign(database, account.id)
    await scene.api.post('/affiliates', { email: to.affiliate.email, campaign_id: second.id })
    await pauseBefore(to.campaign.id)
    await reportConversion(database.db, account.id, {
      campaign_id: second.id,
      customer_ref: customer,
      coupon_code: to.affiliate.coupon_code,
    })
    await complete()
    expect(await referrals()).toEqual([[to.affiliate.id, second.id]])
  })

  it.each(['is outside its window', 'has a rejected affiliate', 'was made while its campaign was paused'])(
    'by the code of a pending affiliate is noted for the approval, if the click beside it %s',
    async how => {
      const { database, account } = scene
      const { to, elsewhere, stranger, complete, referrals } = await besideClick(
        how === 'is outside its window' ? '100 days' : '1 hour',
      )
      await database.owner.query(`UPDATE affiliates SET status = 'pending' WHERE id = $1`, [to.affiliate.id])
      if (how === 'has a rejected affiliate')
        await scene.api.patch(`/affiliates/${stranger.id}`, { status: 'rejected' })
      if (how === 'was made while its campaign was paused')
        await database.owner.query(
          `INSERT INTO campaign_stops (account_id, campaign_id, status, began_at, ended_at)
           VALUES ($1, $2, 'paused', now() - interval '2 hours', now() - interval '30 minutes')`,
          [account.id, elsewhere.id],
        )
      await complete()
      await scene.api.patch(`/affiliates/${to.affiliate.id}`, { status: 'approved' })
      await lookBack(database.db, noEmails, 60_000)
      expect(await referrals()).toEqual([[to.affiliate.id, to.campaign.id]])
    },
  )

  it('credits no sale from before the affiliate was named on a subscription', async () => {
    const customer = newCustomer()
    const paid = (month: number) => {
      const at = START + month * 30 * DAY
      return event('invoice.paid', stripe.invoice(`in_named_${month}`, { customer, created: at }), at)
    }
    const state = (at: number, metadata: object) =>
      event(
        'customer.subscription.updated',
        stripe.subscription('sub_named', { customer, created: START - 60, metadata: { ...metadata } }),
        at,
      )
    const named = { via: billing.affiliate.token }
    await send(scene, billing, paid(0), paid(1), paid(2), state(START + 80 * DAY, named), paid(3))
    await work(scene)
    await send(scene, billing, state(START + 95 * DAY, named))
    await work(scene)
    expect(await Promise.all([0, 1, 2, 3].map(month => earned(`stripe:in_named_${month}`)))).toEqual([
      undefined,
      undefined,
      undefined,
      2000,
    ])
  })

  it('credits the purchase itself whatever event of its subscription comes first', async () => {
    const customer = newCustomer()
    const metadata = { via: billing.affiliate.token }
    const subscription = stripe.subscription('sub_soon', { customer, metadata })
    await send(scene, billing, event('customer.subscription.updated', subscription, START + 3))
    await work(scene)
    await send(scene, billing, event('customer.subscription.created', subscription, START))
    const paid = stripe.invoice('in_soon', { customer, created: START + 1 })
    await send(scene, billing, event('invoice.paid', paid, START + 1))
    await work(scene)
    expect(await earned('stripe:in_soon')).toBe(2000)
  })

  it.each([
    ['before it', true],
    ['after it, before the look-back', false],
  ])('credits the first sale on approval, also if the affiliate was named again %s', async (_, isBefore) => {
    const { campaign } = billing
    const token = unique('pending')
    const { body: pending } = await scene.api.post('/affiliates', {
      email: `${token}@example.com`,
      campaign_id: campaign.id,
      token,
    })
    const [customer, invoice] = [newCustomer(), unique('in')]
    const since = Math.floor(Date.now() / 1000) - 6 * DAY
    const named = (type: 'customer.created' | 'customer.updated', at: number) =>
      event(type, stripe.customer(customer, { created: since, metadata: { via: token } }), at)
    const paid = event('invoice.paid', stripe.invoice(invoice, { customer, created: since + 1 }), since + 1)
    const again = [named('customer.updated', since + 4 * DAY), named('customer.updated', since + 5 * DAY)]
    for (const one of [named('customer.created', since), paid, ...(isBefore ? again : [])]) {
      await send(scene, billing, one)
      await work(scene)
    }
    const { rows } = await scene.database.owner.query(
      `SELECT extract(epoch FROM p.credit_until - interval '30 days')::float AS since FROM pending_credits p
        WHERE p.account_id = $1 AND p.affiliate_id = $2`,
      [scene.account.id, pending.id],
    )
    expect(rows).toEqual([{ since }])
    expect((await scene.api.patch(`/affiliates/${pending.id}`, { status: 'approved' })).status).toBe(200)
    if (!isBefore) await send(scene, billing, ...again)
    await work(scene)
    await lookBack(scene.database.db, noEmails)
    expect(await earnedBySale(scene, { ...billing, affiliate: pending })).toEqual({
      [`stripe:${invoice}`]: 2000,
    })
  })

  it('credits a customer of one campaign in another that the sale itself names, and again on renewals', async () => {
    const other = await connectStripe(scene)
    const { customer } = await subscribe()
    const [first, second] = [unique('in'), unique('in')]
    const discounted = stripe.invoice(first, {
      customer,
      created: START + 30 * DAY,
      discounts: [{ promotion_code: { id: unique('promo'), code: other.affiliate.coupon_code } }],
    })
    const renewal = stripe.invoice(second, {
      customer,
      created: START + 60 * DAY,
      parent: {
        subscription_details: { subscription: 'sub_two', metadata: { via: billing.affiliate.token } },
      },
    })
    const paid = [
      event('invoice.paid', discounted, START + 30 * DAY),
      event('invoice.paid', renewal, START + 60 * DAY),
    ]
    await send(scene, billing, ...paid)
    await work(scene)
    for (const one of paid)
      expect(await outcome(scene, billing, one)).toEqual({ status: 'applied', reason: null })
    expect(await earned(`stripe:${first}`, other)).toBe(2000)
    expect(await earned(`stripe:${second}`)).toBe(2000)
    expect(await brokenInvariants(scene.database)).toEqual([])
  })
})

describe('sales', () => {
  it('earn on what was paid without taxes, with them if the connector is set to gross, and nothing on 0', async () => {
    const gross = await connectStripe(scene, { base: 'gross' })
    for (const [to, expected] of [
      [billing, 2000],
      [gross, 2400],
    ] as const) {
      const { sale } = await subscribe(START, to)
      await work(scene)
      expect(await earned(sale, to)).toBe(expected)
    }
    const trial = event(
      'invoice.paid',
      stripe.invoice('in_trial', { customer: newCustomer(), total: 0, amount_paid: 0 }),
      START,
    )
    await send(scene, billing, trial)
    await work(scene)
    expect(await outcome(scene, billing, trial)).toEqual({ status: 'ignored', reason: 'Amount is 0' })
  })

  it.each([
    ['a customer', 'the charge first'],
    ['a customer', 'the Checkout first'],
    ['a guest', 'the charge first'],
    ['a guest', 'the Checkout first'],
  ])('of a one-off Checkout by %s earn once, without taxes (%s)', async (who, order) => {
    const [id, payment, session] = [newCustomer(), unique('pi'), unique('cs')]
    const customer = who === 'a guest' ? null : id
    const amount = { amount: 6000, amount_captured: 6000 }
    const charge = stripe.charge(unique('ch'), { customer, payment_intent: payment, ...amount })
    const charged = event('charge.succeeded', charge, START)
    const completed = event(
      'checkout.session.completed',
      stripe.session(session, {
        customer,
        customer_email: `${id}@example.com`,
        mode: 'payment',
        client_reference_id: billing.affiliate.token,
        payment_intent: payment,
        amount_total: 6000,
        total_details: { amount_tax: 1000 },
      }),
      START + 1,
    )
    for (const one of order === 'the charge first' ? [charged, completed] : [completed, charged]) {
      await send(scene, billing, one)
      await work(scene)
      await passWait(scene)
      await work(scene)
    }
    const both = async () => [await earned(`stripe:${session}`), (await earned(`stripe:${payment}`)) ?? 0]
    expect(await both()).toEqual([1000, 0])
    const half = stripe.refund(unique('re'), { payment_intent: payment, amount: 3000 })
    await send(scene, billing, event('refund.created', half, START + DAY))
    await work(scene)
    expect(await both()).toEqual([500, 0])
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it.each([
    ['a customer', 'the charge first', 'delivered'],
    ['a customer', 'the Checkout first', 'delivered'],
    ['a guest', 'the charge first', 'delivered'],
    ['a guest', 'the Checkout first', 'delivered'],
    // A list of Checkouts says when they began, and not when they were paid.
    ['a customer', 'the charge first', 'listed'],
    ['a customer', 'the Checkout first', 'listed'],
  ])(
    'of a one-off Checkout by %s earn if the charge alone names the affiliate (%s, %s)',
    async (who, order, how) => {
      const [id, payment, session] = [newCustomer(), unique('pi'), unique('cs')]
      const customer = who === 'a guest' ? null : id
      const email = `${id}@example.com`
      const charged = event(
        'charge.succeeded',
        stripe.charge(unique('ch'), {
          customer,
          billing_details: { email },
          payment_intent: payment,
          amount: 6000,
          amount_captured: 6000,
          metadata: { via: billing.affiliate.token },
        }),
        START,
      )
      const completed = event(
        'checkout.session.completed',
        stripe.session(session, {
          customer,
          created: START - 300,
          customer_email: email,
          mode: 'payment',
          payment_intent: payment,
          amount_total: 6000,
          total_details: { amount_tax: 1000 },
        }),
        how === 'listed' ? START - 300 : START + 1,
      )
      for (const one of order === 'the charge first' ? [charged, completed] : [completed, charged]) {
        await send(scene, billing, one)
        await work(scene)
        await passWait(scene)
        await work(scene)
      }
      expect([await earned(`stripe:${session}`), (await earned(`stripe:${payment}`)) ?? 0]).toEqual([1000, 0])
      expect(await outcome(scene, billing, completed)).toEqual({ status: 'applied', reason: null })
      expect(await brokenInvariants(scene.database)).toEqual([])
    },
  )

  it('count a charge that nothing else describes, after a moment', async () => {
    const [customer, id] = [newCustomer(), unique('ch')]
    const charged = event(
      'charge.succeeded',
      stripe.charge(id, { customer, metadata: { via: billing.affiliate.token } }),
      START,
    )
    await send(scene, billing, charged)
    await work(scene)
    expect(await outcome(scene, billing, charged)).toMatchObject({ status: 'received' })
    await scene.database.owner.query(
      `UPDATE connector_events SET received_at = received_at - interval '1 minute', due_at = now() WHERE provider_id = $1`,
      [charged.id],
    )
    await work(scene)
    expect(await earned(`stripe:${id}`)).toBe(1000)
  })

  it('wait for the events of an invoice after a backlog too', async () => {
    const { customer, sale } = await subscribe()
    await work(scene)
    const [payment, renewal] = [unique('pi'), unique('in')]
    const charged = event(
      'charge.succeeded',
      stripe.charge(unique('ch'), {
        customer,
        payment_intent: payment,
        amount: 12_000,
        amount_captured: 12_000,
      }),
      START + 1,
    )
    await send(
      scene,
      billing,
      charged,
      event('invoice.paid', stripe.invoice(renewal, { customer, created: START + 2 }), START + 2),
      event('invoice_payment.paid', stripe.invoicePayment(renewal, payment), START + 3),
    )
    await scene.database.owner.query(
      `UPDATE connector_events SET received_at = received_at - interval '1 hour' WHERE provider_id = $1`,
      [charged.id],
    )
    await work(scene)
    await passWait(scene)
    await work(scene)
    expect(await outcome(scene, billing, charged)).toMatchObject({ status: 'ignored' })
    expect(await earned(`stripe:${payment}`)).toBeUndefined()
    expect([await earned(sale), await earned(`stripe:${renewal}`)]).toEqual([2000, 2000])
  })

  it.each([
    ['the payment is linked last', 'link last'],
    ['the payment is linked first', 'link first'],
    ['the invoice names its payment', 'named'],
  ])('of an invoice replace that of its charge, with its refunds (%s)', async (_, order) => {
    const { customer } = await subscribe()
    const [invoice, payment] = [unique('in'), unique('pi')]
    const amount = { amount: 12_000, amount_captured: 12_000 }
    const charge = stripe.charge(unique('ch'), { customer, payment_intent: payment, ...amount })
    await send(scene, billing, event('charge.succeeded', charge, START + 1))
    await work(scene)
    await passWait(scene)
    await work(scene)
    expect(await earned(`stripe:${payment}`)).toBe(2400)
    const refund = stripe.refund(unique('re'), { payment_intent: payment, amount: 3000 })
    await send(scene, billing, event('refund.created', refund, START + DAY))
    await work(scene)
    expect(await earned(`stripe:${payment}`)).toBe(1800)

    const payments = order === 'named' ? { payments: stripe.paymentsOf(payment) } : {}
    const paid = event(
      'invoice.paid',
      stripe.invoice(invoice, { customer, created: START + 2, ...payments }),
      START + 2,
    )
    const linked = event('invoice_payment.paid', stripe.invoicePayment(invoice, payment), START + 2)
    for (const one of order === 'link first' ? [linked, paid] : [paid, linked]) {
      await send(scene, billing, one)
      await work(scene)
    }
    expect((await earned(`stripe:${payment}`)) ?? 0).toBe(0)
    expect(await earned(`stripe:${invoice}`)).toBe(1500)
    expect(await outcome(scene, billing, linked)).toEqual({ status: 'applied', reason: null })
    await send(scene, billing, event('refund.failed', { ...refund, status: 'failed' }, START + 2 * DAY))
    await work(scene)
    expect((await earned(`stripe:${payment}`)) ?? 0).toBe(0)
    expect(await earned(`stripe:${invoice}`)).toBe(2000)
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it.each([
    ['the first sale', 0, 'link last'],
    ['the first sale', 0, 'link first'],
    ['the first sale', 0, 'named'],
    ['the first 12 months', 12, 'link last'],
  ])('of an invoice earn as their charge did if only %s count (%i months, %s)', async (_, months, order) => {
    const to = await connectStripe(scene, {
      terms: { rewards: [percent(2000, { recurringMonths: months })] },
    })
    const customer = newCustomer()
    const [invoice, payment, next] = [unique('in'), unique('pi'), unique('in')]
    const session = stripe.session(unique('cs'), { customer, client_reference_id: to.affiliate.token })
    const amount = { amount: 12_000, amount_captured: 12_000 }
    const charge = stripe.charge(unique('ch'), { customer, payment_intent: payment, ...amount })
    await send(scene, to, event('checkout.session.completed', session, START))
    await send(scene, to, event('charge.succeeded', charge, START + 1))
    await work(scene)
    await passWait(scene)
    await work(scene)
    expect(await earned(`stripe:${payment}`, to)).toBe(2400)
    const renewal = stripe.invoice(next, { customer, created: START + 30 * DAY })
    await send(scene, to, event('invoice.paid', renewal, START + 30 * DAY))
    await work(scene)

    const payments = order === 'named' ? { payments: stripe.paymentsOf(payment) } : {}
    const parts = { customer, created: START + 2, ...payments }
    const paid = event('invoice.paid', stripe.invoice(invoice, parts), START + 2)
    const linked = event('invoice_payment.paid', stripe.invoicePayment(invoice, payment), START + 2)
    for (const one of order === 'link first' ? [linked, paid] : [paid, linked]) {
      await send(scene, to, one)
      await work(scene)
    }
    expect((await earned(`stripe:${payment}`, to)) ?? 0).toBe(0)
    expect(await earned(`stripe:${invoice}`, to)).toBe(2000)
    expect(await earned(`stripe:${next}`, to)).toBe(months === 0 ? undefined : 2000)
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it.each([
    ['and the rest released', 0],
    ['and the rest refunded, as by older API versions', 4000],
  ])('of a charge that was captured in part, %s, earn on what was captured', async (_, refunded) => {
    const { customer } = await subscribe()
    const payment = unique('pi')
    const amounts = { amount: 10_000, amount_captured: 6000, amount_refunded: refunded }
    const charge = stripe.charge(unique('ch'), { customer, payment_intent: payment, ...amounts })
    const authorised = { ...charge, captured: false, amount_captured: 0, amount_refunded: 0 }
    await send(
      scene,
      billing,
      event('charge.succeeded', authorised, START + 1),
      event('charge.captured', charge, START + 2),
    )
    if (refunded > 0) await send(scene, billing, event('charge.refunded', charge, START + 2))
    await work(scene)
    await passWait(scene)
    await work(scene)
    expect(await earned(`stripe:${payment}`)).toBe(1200)
  })

  it('ignores test mode and types without a meaning, in words', async () => {
    const test = event('invoice.paid', stripe.invoice('in_test', { customer: 'cus_t' }), START, {
      livemode: false,
    })
    const other = event('account.updated', {}, START)
    await send(scene, billing, test, other)
    await work(scene)
    expect(await outcome(scene, billing, test)).toEqual({ status: 'ignored', reason: 'Test mode' })
    expect(await outcome(scene, billing, other)).toEqual({
      status: 'ignored',
      reason: 'Events of type account.updated are not needed',
    })
  })
})

describe('taking back', () => {
  it('a partial refund takes its share, and the rest later', async () => {
    const { sale, payment } = await subscribe()
    const part = stripe.refund(unique('re'), { payment_intent: payment, amount: 3000 })
    await send(
      scene,
      billing,
      event('refund.created', part, START + DAY),
      event('refund.updated', part, START + DAY),
    )
    await work(scene)
    expect(await earned(sale)).toBe(1500)
    await send(
      scene,
      billing,
      event(
        'refund.created',
        stripe.refund(unique('re'), { payment_intent: payment, amount: 9000 }),
        START + 2 * DAY,
      ),
    )
    await work(scene)
    expect((await earned(sale)) ?? 0).toBe(0)
  })

  it('a refund that came before its sale waits for it', async () => {
    const [customer, invoice, payment] = [newCustomer(), unique('in'), unique('pi')]
    const refunded = event(
      'refund.created',
      stripe.refund(unique('re'), { payment_intent: payment, amount: 6000 }),
      START + DAY,
    )
    await send(scene, billing, refunded)
    await work(scene)
    expect(await outcome(scene, billing, refunded)).toEqual({
      status: 'waiting',
      reason: `Waiting for ${payment}`,
    })
    await send(scene, billing, event('invoice_payment.paid', stripe.invoicePayment(invoice, payment), START))
    await work(scene)
    expect(await outcome(scene, billing, refunded)).toEqual({
      status: 'waiting',
      reason: `Waiting for stripe:${invoice}`,
    })
    await send(
      scene,
      billing,
      event(
        'invoice.paid',
        stripe.invoice(invoice, { customer, metadata: { tributary_token: billing.affiliate.token } }),
        START,
      ),
    )
    await work(scene)
    expect(await outcome(scene, billing, refunded)).toEqual({ status: 'applied', reason: null })
    expect(await earned(`stripe:${invoice}`)).toBe(1000)
  })

  it('charge.refunded alone takes back too, and not twice beside its refunds', async () => {
    const { sale, payment } = await subscribe()
    const total = (amount_refunded: number) =>
      event(
        'charge.refunded',
        stripe.charge('ch_total', { payment_intent: payment, amount: 12_000, amount_refunded }),
        START + DAY,
      )
    await send(scene, billing, total(3000))
    await work(scene)
    expect(await earned(sale)).toBe(1500)
    await send(
      scene,
      billing,
      event(
        'refund.created',
        stripe.refund(unique('re'), { payment_intent: payment, amount: 3000 }),
        START + DAY,
      ),
      total(6000),
    )
    await work(scene)
    expect(await earned(sale)).toBe(1000)
  })

  it.each([
    ['without a hold', {}],
    ['while it is on hold', { hold_days: 3650 }],
  ])(
    'a won dispute and a failed refund leave nothing taken, and a later refund takes again (%s)',
    async (_, terms) => {
      const to = await connectStripe(scene, { terms })
      const { sale, payment } = await subscribe(START, to)
      const disputed = stripe.dispute(unique('dp'), { payment_intent: payment, amount: 12_000 })
      await send(scene, to, event('charge.dispute.funds_withdrawn', disputed, START + DAY))
      await work(scene)
      expect((await earned(sale, to)) ?? 0).toBe(0)
      await send(scene, to, event('charge.dispute.funds_reinstated', disputed, START + 2 * DAY))
      await work(scene)
      expect(await earned(sale, to)).toBe(2000)
      const refunded = stripe.refund(unique('re'), { payment_intent: payment, amount: 6000 })
      await send(scene, to, event('refund.created', refunded, START + 3 * DAY))
      await work(scene)
      expect(await earned(sale, to)).toBe(1000)
      await send(scene, to, event('refund.failed', { ...refunded, status: 'failed' }, START + 4 * DAY))
      await work(scene)
      expect(await earned(sale, to)).toBe(2000)
      await send(
        scene,
        to,
        event(
          'refund.created',
          stripe.refund(unique('re'), { payment_intent: payment, amount: 12_000 }),
          START + 5 * DAY,
        ),
      )
      await work(scene)
      expect((await earned(sale, to)) ?? 0).toBe(0)
      expect(await brokenInvariants(scene.database)).toEqual([])
    },
  )

  it.each([
    ['the first of two refunds, which then fails', 'first', 1400, 800],
    ['the second of two refunds, of which the first then fails', 'second', 2000, 1400],
  ])('a waiver belongs to its refund: %s', async (_, waived, kept, keptAfterNext) => {
    const to = await connectStripe(scene, { terms: { hold_days: 3650 } })
    const { sale, payment, customer } = await subscribe(START, to)
    let day = 0
    const report = async (type: 'refund.created' | 'refund.failed', refund: object) => {
      day += 1
      await send(scene, to, event(type, refund, START + day * DAY))
      await work(scene)
    }
    const refund = async () => {
      const refunded = stripe.refund(unique('re'), { payment_intent: payment, amount: 3600 })
      await report('refund.created', refunded)
      return refunded
    }
    const waive = async () => {
      const [referral] = await scene.database.db.transaction(tx =>
        referralsOfCustomer(tx, scene.account.id, customer),
      )
      const clawback = (await entriesOf(scene, referral?.id as number)).findLast(
        ({ entry_type }) => entry_type === 'clawback',
      )
      expect((await scene.api.patch(`/commissions/${clawback?.id}`, { status: 'void' })).status).toBe(200)
    }
    const first = await refund()
    if (waived === 'first') await waive()
    await refund()
    if (waived === 'second') await waive()
    await report('refund.failed', { ...first, status: 'failed' })
    expect(await earned(sale, to)).toBe(kept)
    await refund()
    expect(await earned(sale, to)).toBe(keptAfterNext)
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it.each([
    ['the only refund', [3600], 2000, 1400],
    ['the first of two', [3600, 2400], 2000, 1400],
  ])(
    'a waiver of a refund that came before the referral ends with it: %s',
    async (_, amounts, kept, keptAfterNext) => {
      const to = await connectStripe(scene, { terms: { hold_days: 3650 } })
      const customer = newCustomer()
      const [id, payment] = [unique('in'), unique('pi')]
      const paid = stripe.invoice(id, { customer, payments: stripe.paymentsOf(payment) })
      const refunds = amounts.map(amount => stripe.refund(unique('re'), { payment_intent: payment, amount }))
      await send(scene, to, event('invoice.paid', paid, START))
      for (const refunded of refunds) await send(scene, to, event('refund.created', refunded, START + DAY))
      await work(scene)
      const session = stripe.session(unique('cs'), { customer, client_reference_id: to.affiliate.token })
      await send(scene, to, event('checkout.session.completed', session, START))
      await work(scene)
      const [referral] = await scene.database.db.transaction(tx =>
        referralsOfCustomer(tx, scene.account.id, customer),
      )
      const clawbacks = (await entriesOf(scene, referral?.id as number)).filter(
        ({ entry_type }) => entry_type === 'clawback',
      )
      expect(clawbacks).toHaveLength(amounts.length)
      for (const clawback of clawbacks)
        expect((await scene.api.patch(`/commissions/${clawback.id}`, { status: 'void' })).status).toBe(200)
      expect(await earned(`stripe:${id}`, to)).toBe(2000)
      const [first] = refunds
      await send(scene, to, event('refund.failed', { ...first, status: 'failed' }, START + 2 * DAY))
      await work(scene)
      expect(await earned(`stripe:${id}`, to)).toBe(kept)
      const next = stripe.refund(unique('re'), { payment_intent: payment, amount: 3600 })
      await send(scene, to, event('refund.created', next, START + 3 * DAY))
      await work(scene)
      expect(await earned(`stripe:${id}`, to)).toBe(keptAfterNext)
      expect(await brokenInvariants(scene.database)).toEqual([])
    },
  )

  it('a dispute of a refunded charge takes no more than was paid, and a won one leaves the refund', async () => {
    const { sale, payment } = await subscribe()
    const disputed = stripe.dispute(unique('dp'), { payment_intent: payment, amount: 12_000 })
    await send(
      scene,
      billing,
      event('charge.dispute.funds_withdrawn', disputed, START + DAY),
      event(
        'refund.created',
        stripe.refund(unique('re'), { payment_intent: payment, amount: 3000 }),
        START + DAY,
      ),
    )
    await work(scene)
    expect((await earned(sale)) ?? 0).toBe(0)
    await send(scene, billing, event('charge.dispute.funds_reinstated', disputed, START + 2 * DAY))
    await work(scene)
    expect(await earned(sale)).toBe(1500)
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('a credit note takes back what was returned outside Stripe', async () => {
    const { sale, invoice } = await subscribe()
    const note = stripe.creditNote(unique('cn'), { invoice, amount: 6000, out_of_band_amount: 6000 })
    await send(scene, billing, event('credit_note.created', note, START + DAY))
    await work(scene)
    expect(await earned(sale)).toBe(1000)
    await send(scene, billing, event('credit_note.voided', note, START + 2 * DAY))
    await work(scene)
    expect(await earned(sale)).toBe(2000)
  })

  it('a credit to the balance counts once: where it reduces what an invoice receives', async () => {
    const { sale, invoice, customer } = await subscribe()
    const note = event(
      'credit_note.created',
      stripe.creditNote(unique('cn'), {
        invoice,
        amount: 6000,
        post_payment_amount: 6000,
        customer_balance_transaction: 'balance_transaction_1',
      }),
      START + DAY,
    )
    const [next, at] = [unique('in'), START + 30 * DAY]
    const renewal = stripe.invoice(next, { customer, created: at, amount_paid: 6000 })
    await send(scene, billing, note, event('invoice.paid', renewal, at))
    await work(scene)
    expect([await earned(sale), await earned(`stripe:${next}`)]).toEqual([2000, 1000])
    expect(await outcome(scene, billing, note)).toEqual({
      status: 'ignored',
      reason: 'The credit reduces later invoices',
    })
  })
})

describe('bad input is refused, and nothing is stored', () => {
  const count = async () =>
    Number((await scene.database.owner.query('SELECT count(*) FROM connector_events')).rows[0].count)
  it('a wrong signature, a stale one, another connector, too large or deep a body', async () => {
    const { connector } = billing
    const other = await connectStripe(scene, { signingSecret: 'whsec_other' })
    const body = JSON.stringify(event('invoice.paid', stripe.invoice('in_bad', {}), START))
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`
    const { signed } = await import('./scene.ts')
    const before = await count()
    const now = Math.floor(Date.now() / 1000)
    const old = signed(body, undefined, now - 3600)
    const stale = { 'stripe-signature': old }
    const twoTimes = { 'stripe-signature': `t=${now},${old}` }
    const unreadableTime = { 'stripe-signature': old.replace('t=', 't= ') }
    const tries: [number, Promise<Response>][] = [
      [400, deliver(scene, connector, body, {})],
      [400, deliver(scene, connector, `${body} `, { 'stripe-signature': signed(body) })],
      [400, deliver(scene, connector, body, stale)],
      [400, deliver(scene, connector, body, twoTimes)],
      [400, deliver(scene, connector, body, unreadableTime)],
      [400, deliver(scene, other.connector, body)],
      [404, deliver(scene, { id: 999_999 }, body)],
      [404, deliver(scene, connector, body, undefined, `/connect/paypal/${connector.id}`)],
      [404, deliver(scene, connector, body, undefined, '/connect/stripe/x')],
      [413, deliver(scene, connector, `"${'x'.repeat(1024 * 1024)}"`)],
      [400, deliver(scene, connector, deep)],
      [400, deliver(scene, connector, 'not json')],
      [400, deliver(scene, connector, '{}')],
      [400, deliver(scene, connector, '')],
    ]
    for (const [status, sent] of tries) {
      const { status: answered } = await sent
      expect(answered).toBe(status)
    }
    expect(await count()).toBe(before)
  })

  it('but a large order is not bad', async () => {
    const large = {
      ...event('invoice.paid', stripe.invoice('in_large', {}), START),
      more: Array(50_000).fill(1),
    }
    expect((await deliver(scene, billing.connector, JSON.stringify(large))).status).toBe(200)
  })
})
