import type { Tx } from '../db/database.ts'
import { lockCustomer } from '../earning/referrals/referral.store.ts'
import { referralsOfCustomer } from '../earning/referrals/referrals-of-customer.ts'
import { reportSale } from '../earning/sales/report-sale.ts'
import { conflict } from '../kit/domain-error.ts'
import {
  findBilledSale,
  findLinks,
  findUncreditedSales,
  insertBilledSale,
  insertLink,
  type KnownSale,
} from './billing-facts.store.ts'
import { wakeWaiting } from './connector-event.store.ts'
import { isNumbered } from './connector-name.ts'
import { creditSales } from './credit-sale.ts'
import { ignored, type Outcome, placeOf, postponed, type Source } from './outcome.ts'
import type { CodeReport, PaymentReport, SaleReport } from './reading.ts'
import { isBare, lockToReplace, replaceBare } from './replace-bare-sale.ts'

/** The payments of a sale that belong to another one, with that sale. */
async function takenPayments(tx: Tx, source: Source, report: SaleReport): Promise<[string, string][]> {
  const links = await findLinks(tx, placeOf(source), 'payment', report.payments ?? [])
  return [...links].filter(([, target]) => target !== report.externalId)
}

/** Two shops connected under one name, one after the other, may have the same order numbers. Neither order is taken for the other. */
function assertSameSale({ connector }: Source, known: KnownSale, report: SaleReport): void {
  if (known.is_own || !isNumbered(connector)) return
  const { customer, currency, amountMinor, paidMinor = amountMinor } = report
  // The base of commissions may have changed, or where a mapping finds what was paid, but not both.
  const isSameAmount = known.amount_minor === Number(amountMinor) || known.paid_minor === Number(paidMinor)
  if (known.customer !== customer || known.currency !== currency || !isSameAmount)
    throw conflict(
      'An earlier connector booked a different sale under this number. If this is another shop, connect it under a new name.',
    )
}

/** Why a test sale is not reported: without a referral it waits for one, so that a real referral never adopts it. */
async function heldTest(
  tx: Tx,
  source: Source,
  { isTest, customer }: SaleReport,
): Promise<Outcome | undefined> {
  if (!isTest) return undefined
  const { accountId } = placeOf(source)
  // In a separate statement: a real referral that is made at this moment is seen.
  await lockCustomer(tx, accountId, customer)
  const referrals = await referralsOfCustomer(tx, accountId, customer)
  if (referrals.some(({ is_test }) => !is_test)) return ignored('test_mode')
  return referrals.length === 0 ? { status: 'waiting', waitsFor: customer } : undefined
}

/**
 * Reports a sale, once for its payments whatever events describe them. Only a referral that is not younger than the sale is credited,
 * unless the event itself carries the evidence: then `referralId` is the one it led to.
 */
export async function applySale(
  tx: Tx,
  source: Source,
  report: SaleReport,
  referralId: number | undefined,
): Promise<Outcome> {
  const { externalId, customer, payments = [], unlessReportedWithinSeconds } = report
  const place = placeOf(source)
  if (report.amountMinor <= 0n) return ignored('zero_amount')
  const taken = await takenPayments(tx, source, report)
  const other = taken.find(link => unlessReportedWithinSeconds !== undefined || !isBare(source, link))
  if (other) {
    // This event names an affiliate, and the one that made the sale may have named none.
    if (referralId !== undefined)
      await creditSales(
        tx,
        source,
        await findUncreditedSales(tx, place, { externalId: other[1] }),
        referralId,
      )
    return ignored('reported_by_other', { by: other[1] })
  }
  if (taken.length > 0) {
    const payments = taken.map(([payment]) => payment)
    await lockToReplace(tx, source, payments, { externalId, customer })
  }
  const held = await heldTest(tx, source, report)
  if (held) return held
  const known = await findBilledSale(tx, place, externalId)
  if (known) assertSameSale(source, known, report)
  if (!known && unlessReportedWithinSeconds !== undefined) {
    const later = postponed(source, unlessReportedWithinSeconds)
    if (later) return later
  }
  const sale = known ?? {
    external_id: externalId,
    customer,
    amount_minor: Number(report.amountMinor),
    paid_minor: Number(report.paidMinor ?? report.amountMinor),
    currency: report.currency,
    subscription: report.subscription ?? null,
    occurred_at: report.occurredAt,
  }
  const { result } = await reportSale(
    tx,
    place.accountId,
    {
      customer_ref: sale.customer,
      external_id: sale.external_id,
      amount_minor: sale.amount_minor,
      currency: sale.currency,
      subscription_ref: sale.subscription,
      occurred_at: sale.occurred_at,
    },
    // A known sale is credited too: crediting it may have failed when its referral was made.
    { adopt: true, ...(referralId === undefined ? { referredBefore: true } : { referralId }) },
  )
  // Also if another connector of the namespace reported it first: credit is granted by one that reported the sale.
  await insertBilledSale(tx, place, { ...sale, products: report.products ?? [] })
  for (const payment of payments)
    await insertLink(tx, place, { kind: 'payment', ref: payment, target: externalId })
  let credited = result.referral?.id ?? null
  for (const [payment] of taken) credited = (await replaceBare(tx, source, payment, externalId)) ?? credited
  await wakeWaiting(tx, place.accountId, place.connectorId, [externalId, ...payments])
  const made = { saleExternalId: externalId, referralId: credited }
  return credited !== null ? { status: 'applied', ...made } : ignored('no_referral', { customer }, made)
}

/** Remembers which sale a payment belongs to. */
export async function applyPayment(tx: Tx, source: Source, report: PaymentReport): Promise<Outcome> {
  const place = placeOf(source)
  const { payment, saleExternalId } = report
  const known = (await findLinks(tx, place, 'payment', [payment])).get(payment)
  if (known !== undefined && known !== saleExternalId) {
    if (!isBare(source, [payment, known])) return ignored('reported_by_other', { by: known })
    // Until its sale is known, the money counts where it is.
    const sale = await findBilledSale(tx, place, saleExternalId)
    if (!sale) return { status: 'waiting', waitsFor: saleExternalId }
    await lockToReplace(tx, source, [payment], { externalId: saleExternalId, customer: sale.customer })
    await replaceBare(tx, source, payment, saleExternalId)
  }
  await insertLink(tx, place, { kind: 'payment', ref: payment, target: saleExternalId })
  await wakeWaiting(tx, place.accountId, place.connectorId, [payment])
  return { status: 'applied', saleExternalId }
}

/** Remembers the code behind the provider's ID of it. */
export async function applyCode(tx: Tx, source: Source, report: CodeReport): Promise<Outcome> {
  const { kind, id: ref, code: target, occurredAt } = report
  await insertLink(tx, placeOf(source), { kind, ref, target, occurredAt })
  return { status: 'applied' }
}
