import type { Tx } from '../db/database.ts'
import { referralsOfCustomer } from '../earning/referrals/referrals-of-customer.ts'
import { applyCustomer } from './apply-customer.ts'
import { applyRefund, applyReversal } from './apply-refund.ts'
import { applyCode, applyPayment, applySale } from './apply-sale.ts'
import { upsertSubscription } from './billing-facts.store.ts'
import { combined, ignored, type Outcome, placeOf, type Source } from './outcome.ts'
import type { BillingReport, Reading, SubscriptionReport } from './reading.ts'

async function applySubscription(tx: Tx, source: Source, report: SubscriptionReport): Promise<Outcome> {
  await upsertSubscription(tx, placeOf(source), report)
  const [referral] = await referralsOfCustomer(tx, source.connector.account_id, report.customer)
  return referral
    ? { status: 'applied', referralId: referral.id }
    : ignored('no_referral', { customer: report.customer })
}

function applyReport(
  tx: Tx,
  source: Source,
  report: BillingReport,
  referralId: number | undefined,
): Promise<Outcome> {
  switch (report.kind) {
    case 'customer':
      return applyCustomer(tx, source, report)
    case 'sale':
      return applySale(tx, source, report, referralId)
    case 'payment':
      return applyPayment(tx, source, report)
    case 'code':
      return applyCode(tx, source, report)
    case 'refund':
      return applyRefund(tx, source, report)
    case 'refund_reversed':
      return applyReversal(tx, source, report)
    case 'subscription':
      return applySubscription(tx, source, report)
  }
}

/** Carries out what an event asks for, in the caller's transaction: all of it or nothing. */
export async function applyReading(tx: Tx, source: Source, reading: Reading): Promise<Outcome> {
  if ('ignored' in reading) return { status: 'ignored', reason: reading.ignored }
  const outcomes: Outcome[] = []
  for (const report of reading.reports) {
    const credited = outcomes.find(({ status, referralId }) => status === 'applied' && referralId != null)
    outcomes.push(await applyReport(tx, source, report, credited?.referralId ?? undefined))
  }
  return combined(outcomes)
}
