import { reportConversion } from '../../earning/conversions/report-conversion.ts'
import { reviewReferral } from '../../earning/referrals/review-referral.ts'
import { reportRefund } from '../../earning/refunds/report-refund.ts'
import { reportSale } from '../../earning/sales/report-sale.ts'
import { adjustBalance } from '../../money/commissions/adjust-balance.ts'
import { settlePendingEntry } from '../../money/ledger/move-status.ts'
import { entriesDue, insertPastClicks } from './demo.store.ts'
import type { PlannedAffiliate } from './plan-affiliates.ts'
import type { PlannedClick } from './plan-clicks.ts'
import type { PlannedCustomer, PlannedSale } from './plan-customers.ts'
import { byPerson, type Step, type Story } from './story.ts'

async function convert(
  story: Story,
  customer: PlannedCustomer,
  first: PlannedSale | undefined,
): Promise<void> {
  const { tx, accountId, campaigns } = story
  const { click, couponCode, token } = customer.evidence
  const { result } = await reportConversion(tx, accountId, {
    campaign_id: campaigns[customer.campaign],
    customer_ref: customer.ref,
    subscription_ref: customer.subscriptionRef,
    occurred_at: customer.convertsAt,
    is_test: customer.isTest,
    ...(click?.id !== undefined && { click_id: String(click.id) }),
    ...(couponCode !== undefined && { coupon_code: couponCode }),
    ...(token !== undefined && { token }),
    customer_email: customer.email,
    ...(first && {
      sale: { external_id: first.externalId, amount_minor: first.amountMinor, currency: customer.currency },
    }),
  })
  referralIds.set(customer, result.referral?.id)
}

/** Known once the conversion has been reported. */
const referralIds = new WeakMap<PlannedCustomer, number | undefined>()

async function review(story: Story, customer: PlannedCustomer): Promise<void> {
  const id = referralIds.get(customer)
  if (id === undefined || !customer.review) return
  const { decision, at } = customer.review
  const change = { action: 'referral.review', subjectId: id, details: { ids: [id], status: decision } }
  await byPerson(story, 'admin', at, change, tx => reviewReferral(tx, story.accountId, id, decision))
  if (decision === 'rejected') story.past.rejections.push({ id, at })
}

/** All steps of a customer: conversion, sales and refunds. */
export function customerSteps(story: Story, customer: PlannedCustomer): Step[] {
  const { tx, accountId } = story
  const [first, ...later] = customer.sales
  const steps: Step[] = [{ at: customer.convertsAt, run: () => convert(story, customer, first) }]
  for (const sale of later)
    steps.push({
      at: sale.at,
      run: async () => {
        await reportSale(tx, accountId, {
          customer_ref: customer.ref,
          external_id: sale.externalId,
          amount_minor: sale.amountMinor,
          currency: customer.currency,
          occurred_at: sale.at,
        })
      },
    })
  for (const { externalId, refund } of customer.sales)
    if (refund)
      steps.push({
        at: refund.at,
        run: async () => {
          await reportRefund(tx, accountId, {
            external_id: refund.externalId,
            sale_external_id: externalId,
            amount_minor: refund.amountMinor,
            occurred_at: refund.at,
          })
        },
      })
  if (customer.review) steps.push({ at: customer.review.at, run: () => review(story, customer) })
  return steps
}

/** Records the clicks of a day; those that lead to a conversion get their id here. */
export async function recordClicks(story: Story, clicks: PlannedClick[]): Promise<void> {
  if (clicks.length === 0) return
  const written = await insertPastClicks(
    story.tx,
    story.accountId,
    clicks.map(({ affiliate, campaign, ...click }) => ({
      ...click,
      affiliateId: story.affiliates.get(affiliate) as number,
      campaignId: story.campaigns[campaign],
    })),
  )
  for (const [index, click] of clicks.entries()) click.id = written[index] as number
}

/** Releases the holds that end by then, as the service does every second. */
export async function releaseHoldsUntil({ tx, accountId }: Story, at: string): Promise<void> {
  for (const id of await entriesDue(tx, accountId, at))
    await settlePendingEntry(tx, accountId, id, 'approved')
}

const reasons: [amountMinor: number, description: string][] = [
  [10_000, 'Bonus: most conversions of the month'],
  [5000, 'Goodwill: a coupon did not work for two days'],
  [-2000, 'Correction: paid twice for one customer'],
  [7500, 'Webinar in spring'],
]

/** A bonus or a correction. */
export function adjustmentStep(story: Story, affiliate: PlannedAffiliate, at: string, number: number): Step {
  return {
    at,
    run: async () => {
      const [amountMinor, description] = reasons[number % reasons.length] as (typeof reasons)[number]
      const adjustment = {
        affiliateId: story.affiliates.get(affiliate) as number,
        campaignId: story.campaigns[affiliate.campaigns[0] as keyof Story['campaigns']],
        amountMinor,
        description,
      }
      const details = { affiliate_id: adjustment.affiliateId, amount_minor: amountMinor, description }
      const { id } = await byPerson(story, 'finance', at, { action: 'commission.adjust', details }, tx =>
        adjustBalance(tx, story.accountId, adjustment),
      )
      story.past.adjustments.push({ id, at })
    },
  }
}
