import type { Tx } from '../db/database.ts'
import { findRefund } from '../earning/refunds/refund.store.ts'
import { reportRefund } from '../earning/refunds/report-refund.ts'
import { reverseRefund } from '../earning/refunds/reverse-refund.ts'
import { lockSale } from '../earning/sales/sale.store.ts'
import {
  findBilledSale,
  findKnownRefund,
  findLinks,
  refundsInForce,
  refundsOfBilledSale,
  upsertRefund,
} from './billing-facts.store.ts'
import { wakeWaiting } from './connector-event.store.ts'
import { namespaceOf } from './connector-name.ts'
import { ignored, type Outcome, placeOf, type Source } from './outcome.ts'
import type { RefundReport, RefundReversedReport } from './reading.ts'
import { paidBackBy, refundedAmount } from './refund-balance.ts'

/** Takes back a refund's share of what its sale earned. If the sale is not known yet, the refund waits for it. */
export async function applyRefund(tx: Tx, source: Source, report: RefundReport): Promise<Outcome> {
  const place = placeOf(source)
  const { externalId, source: kind = 'refund' } = report
  const given = report.amountMinor ?? report.netMinor
  if (given !== undefined && given <= 0n) return ignored('zero_amount')
  const named = 'payment' in report.sale ? report.sale.payment : undefined
  const saleExternalId =
    'payment' in report.sale
      ? (await findLinks(tx, place, 'payment', [report.sale.payment])).get(report.sale.payment)
      : report.sale.externalId
  const sale = saleExternalId === undefined ? undefined : await findBilledSale(tx, place, saleExternalId)
  if (!sale) return { status: 'waiting', waitsFor: saleExternalId ?? (named as string) }
  if (report.currency !== undefined && report.currency !== sale.currency)
    return ignored('incomplete', { field: 'currency' })
  const paidBack = paidBackBy(report, sale)
  if (paidBack === undefined) return ignored('incomplete', { field: 'refund_amount' })
  if (paidBack <= 0n) return ignored('zero_amount')
  await upsertRefund(tx, place, {
    externalId,
    source: kind,
    saleExternalId: sale.external_id,
    amountMinor: Number(paidBack),
    isReversed: false,
  })
  await wakeWaiting(tx, place.accountId, place.connectorId, [externalId])
  return balanceRefunds(tx, source, sale.external_id, report)
}

/** Gives back what a refund took that did not happen after all. If that refund is not known yet, this waits for it. */
export async function applyReversal(tx: Tx, source: Source, report: RefundReversedReport): Promise<Outcome> {
  const place = placeOf(source)
  const { refundExternalId: externalId, source: kind = 'refund' } = report
  await upsertRefund(tx, place, {
    externalId,
    source: kind,
    saleExternalId: null,
    amountMinor: null,
    isReversed: true,
  })
  const refund = await findKnownRefund(tx, place, externalId)
  if (!refund?.sale_external_id) return { status: 'waiting', waitsFor: externalId }
  const { occurredAt } = report
  return balanceRefunds(tx, source, refund.sale_external_id, { externalId, occurredAt, isReversal: true })
}

/** This ID, with a number if a refund has it: that one, perhaps reversed since, was counted, and what is reported now comes on top. */
async function unusedId(tx: Tx, accountId: number, id: string): Promise<string> {
  let unused = id
  for (let number = 2; await findRefund(tx, accountId, unused); number++) unused = `${id}/${number}`
  return unused
}

/**
 * Makes the refunds in force add up to what is known to have gone back: reports the difference, or reverses what the named refund took, then
 * the newest ones. A person may have waived one of them, so it matters which one is reversed.
 */
export async function balanceRefunds(
  tx: Tx,
  source: Source,
  saleExternalId: string,
  {
    externalId,
    occurredAt,
    isReversal = false,
  }: { externalId: string; occurredAt: string; isReversal?: boolean },
): Promise<Outcome> {
  const place = placeOf(source)
  const { accountId } = place
  // Locked before anything is read: a refund over the API may be in flight.
  const sale = await lockSale(tx, accountId, saleExternalId)
  const billed = await findBilledSale(tx, place, saleExternalId)
  if (!billed || !sale) return { status: 'waiting', waitsFor: saleExternalId }
  const wanted = refundedAmount(billed, await refundsOfBilledSale(tx, place, saleExternalId))
  const inForce = await refundsInForce(tx, accountId, saleExternalId)
  let taken = inForce.reduce((total, refund) => total + BigInt(refund.amount_minor), 0n)
  const before = taken
  const isNamed = (refund: { external_id: string }) => refund.external_id.startsWith(`${externalId}/`)
  for (const refund of inForce.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)))) {
    // Refunds that the merchant reported over the API are the merchant's own.
    if (taken <= wanted || !refund.external_id.startsWith(`${namespaceOf(source.connector)}:`)) continue
    await reverseRefund(tx, accountId, { externalId: refund.external_id, saleExternalId })
    taken -= BigInt(refund.amount_minor)
  }
  const made = { saleExternalId, refundExternalId: externalId, referralId: sale.referral_id }
  if (taken < wanted)
    await reportRefund(tx, accountId, {
      // Unique for what this report changed: a total grows with each of its events, one event may report a refund and its reversal, or move
      // the refunds of several payments, and what an event has taken may have been given back since.
      external_id: await unusedId(
        tx,
        accountId,
        `${externalId}/${source.providerId}${isReversal ? '/reversed' : ''}`,
      ),
      sale_external_id: saleExternalId,
      amount_minor: Number(wanted - taken),
      occurred_at: occurredAt,
    })
  if (sale.referral_id === null) return ignored('no_referral', { customer: billed.customer }, made)
  return before === wanted ? ignored('nothing_left', undefined, made) : { status: 'applied', ...made }
}
