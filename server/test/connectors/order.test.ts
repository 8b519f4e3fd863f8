/**
 * Protects the ledger from the ways in which billing events arrive: in any order, several times, several at once, processed by several
 * processes, and with a crash in between, they lead to the same money.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seed, sized } from '../../../testing/size.ts'
import { reportRefund } from '../../src/earning/refunds/report-refund.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { percent } from '../ledger/scene.ts'
import {
  connectStripe,
  deliver,
  earnedBySale,
  events,
  outcome,
  passWait,
  reviewOf,
  send,
  work,
  workOnce,
} from './scene.ts'
import * as stripe from './stripe-objects.ts'
import { eventsOf, plain, type Year, year } from './year.ts'

const { event, START, DAY } = stripe
const scene = useOwnScene()

let years = 0

describe('the same ledger', () => {
  it('in any order, with duplicates, over several processes', async () => {
    const billing = await connectStripe(scene)
    const held = await connectStripe(scene, { terms: { hold_days: 3650 } })
    const rewards = (recurringMonths: number) => ({ rewards: [percent(2000, { recurringMonths })] })
    const firstOnly = await connectStripe(scene, { terms: rewards(0) })
    const firstYear = await connectStripe(scene, { terms: rewards(12) })
    const all = [billing, held, firstOnly, firstYear]
    for (const { affiliate } of all) {
      affiliate.paypal_email = `paypal-of-${affiliate.email}`
      const { paypal_email } = affiliate
      expect((await scene.api.patch(`/affiliates/${affiliate.id}`, { paypal_email })).status).toBe(200)
    }
    await fc.assert(
      fc.asyncProperty(
        year,
        fc.infiniteStream(fc.nat()),
        fc.constantFrom(...all),
        async (any, random, to) => {
          // Which of several sales is the first is decided by their arrival.
          const each = to === firstOnly ? { ...any, invoices: any.invoices.slice(0, 1) } : any
          const [first, second] = [`a${++years}`, `b${years}`]
          await send(scene, to, ...eventsOf(each, first, to))
          await work(scene)

          const later = eventsOf(each, second, to)
          const draws = random[Symbol.iterator]()
          const draw = () => draws.next().value as number
          const shuffled = [...later, ...later.filter(() => draw() % 3 === 0)]
            .map(one => ({ one, at: draw() }))
            .sort((a, b) => a.at - b.at)
            .map(({ one }) => one)
          for (const one of shuffled) {
            await send(scene, to, one)
            // Sometimes processed before the next one arrives, by two processes at once.
            if (draw() % 2 === 0) await Promise.all([workOnce(scene), workOnce(scene)])
            if (draw() % 2 === 0) await passWait(scene)
          }
          await work(scene)
          await passWait(scene)
          await work(scene)
          const earned = await earnedBySale(scene, to)
          expect(plain(earned, second)).toEqual(plain(earned, first))
          expect(await reviewOf(scene, `cus_${second}`)).toEqual(await reviewOf(scene, `cus_${first}`))
        },
      ),
      { seed, numRuns: sized(6, 300) },
    )
    expect(await brokenInvariants(scene.database)).toEqual([])
    for (const each of all) {
      const open = (await events(scene, each)).filter(({ status }) => ['received', 'failed'].includes(status))
      expect(open).toEqual([])
    }
  })

  it('if the same event arrives many times at once', async () => {
    const billing = await connectStripe(scene)
    const each: Year = {
      isReferred: true,
      emails: [],
      invoices: [{ net: 10_000, tax: 0, refunds: [], dispute: 'none', isCharged: false }],
    }
    const all = eventsOf(each, 'many', billing)
    await Promise.all(
      all.flatMap(one =>
        Array.from({ length: 20 }, () => deliver(scene, billing.connector, JSON.stringify(one))),
      ),
    )
    await Promise.all(Array.from({ length: 8 }, () => work(scene)))
    expect(await events(scene, billing)).toHaveLength(all.length)
    expect(plain(await earnedBySale(scene, billing), 'many')).toEqual({ 'stripe:in_0': 2000 })
  })

  it('if a refund and its sale are processed at the same time', async () => {
    const billing = await connectStripe(scene)
    const [sale, ...refunds] = eventsOf(
      {
        isReferred: false,
        emails: [],
        invoices: [
          {
            net: 10_000,
            tax: 0,
            dispute: 'none',
            isCharged: false,
            refunds: [{ percent: 50, fails: false, isTotalSent: false }],
          },
        ],
      },
      'meet',
      billing,
    )
    const paid = stripe.invoice('in_meet_0', {
      customer: 'cus_meet',
      total: 10_000,
      total_excluding_tax: 10_000,
      amount_paid: 10_000,
      metadata: { via: billing.affiliate.token },
    })
    const [link, refunded] = refunds as [stripe.StripeEvent, stripe.StripeEvent]
    await send(scene, billing, link)
    await work(scene)
    await send(scene, billing, { ...(sale as stripe.StripeEvent), data: { object: paid } })
    // The sale is made but not committed while the refund looks for it.
    await scene.database.db.transaction(async tx => {
      await workOnce(scene, tx)
      await send(scene, billing, refunded)
      await work(scene)
    })
    await work(scene)
    expect(plain(await earnedBySale(scene, billing), 'meet')).toEqual({ 'stripe:in_0': 1000 })
  })

  it('if a refund that failed arrives before its sale', async () => {
    const billing = await connectStripe(scene)
    const failed = event(
      'refund.failed',
      stripe.refund('re_early', { payment_intent: 'pi_early', amount: 6000, status: 'failed' }),
      START + DAY,
    )
    await send(scene, billing, failed)
    await work(scene)
    const invoice = stripe.invoice('in_early', {
      customer: 'cus_early',
      metadata: { via: billing.affiliate.token },
    })
    await send(
      scene,
      billing,
      event('invoice_payment.paid', stripe.invoicePayment('in_early', 'pi_early'), START),
      event('invoice.paid', invoice, START),
    )
    await work(scene)
    expect(await outcome(scene, billing, failed)).not.toMatchObject({ status: 'waiting' })
    expect(await earnedBySale(scene, billing)).toEqual({ 'stripe:in_early': 2000 })
  })

  it('if the merchant reports a refund over the API while the event of another is processed', async () => {
    const billing = await connectStripe(scene)
    const invoice = stripe.invoice('in_both', {
      customer: 'cus_both',
      metadata: { via: billing.affiliate.token },
    })
    const refunded = stripe.refund('re_both', { payment_intent: 'pi_both', amount: 6000 })
    await send(
      scene,
      billing,
      event('invoice_payment.paid', stripe.invoicePayment('in_both', 'pi_both'), START),
      event('invoice.paid', invoice, START),
    )
    await work(scene)
    await send(scene, billing, event('refund.created', refunded, START + DAY))
    await whileHeld(
      scene.database,
      tx =>
        reportRefund(tx, scene.account.id, {
          external_id: 'api-both',
          sale_external_id: 'stripe:in_both',
          amount_minor: 3000,
        }),
      () => work(scene),
    )
    // Half of the sale went back, over whichever way it is reported.
    expect(await earnedBySale(scene, billing)).toEqual({ 'stripe:in_both': 1000 })
  })
})
