import { billingReasonText } from '@tributary/contract/billing-text'
import type { Db } from '../db/database.ts'
import { findBilledSale, findKnownRefund, type Place } from './billing-facts.store.ts'
import { findStateOfSale } from './connector-event.store.ts'
import type { BillingReport } from './reading.ts'

interface Totals {
  currency: string
  sales_minor: number
  refunds_minor: number
}

export interface Reconciliation {
  since: string
  /** How many events the webhooks had missed. */
  missed: number
  /** Why only the lists were compared, and not the events, if so. */
  problem: string | null
  provider: Totals[]
  ours: Totals[]
  /** What the provider has and we don't, each with the reason. */
  differences: { external_id: string; reason: string }[]
}

class Sums {
  readonly #totals = new Map<string, Totals>()

  add(currency: string, what: 'sales_minor' | 'refunds_minor', amount: bigint): void {
    const totals = this.#totals.get(currency) ?? { currency, sales_minor: 0, refunds_minor: 0 }
    totals[what] += Number(amount)
    this.#totals.set(currency, totals)
  }

  list(): Totals[] {
    return [...this.#totals.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1))
  }
}

/** Compares what the provider lists with what the inbox knows: sales by their base, refunds by what was paid back. */
export async function reconcile(
  db: Db,
  place: Place,
  since: string,
  reports: BillingReport[],
  missed: number,
): Promise<Omit<Reconciliation, 'problem'>> {
  const [provider, ours] = [new Sums(), new Sums()]
  const differences: Reconciliation['differences'] = []
  const differs = async (externalId: string, saleExternalId = externalId) => {
    const state = await findStateOfSale(db, place, saleExternalId)
    const reason = state?.reason ? billingReasonText(state.reason) : 'Not processed yet'
    differences.push({ external_id: externalId, reason })
  }
  const reversed = new Set(
    reports.map(report => (report.kind === 'refund_reversed' ? report.refundExternalId : '')),
  )
  for (const report of reports) {
    if (report.kind === 'sale') {
      provider.add(report.currency, 'sales_minor', report.amountMinor)
      const known = await findBilledSale(db, place, report.externalId)
      if (known) ours.add(known.currency, 'sales_minor', BigInt(known.amount_minor))
      if (known?.amount_minor !== Number(report.amountMinor)) await differs(report.externalId)
    }
    if (report.kind === 'refund' && !reversed.has(report.externalId)) {
      const currency = report.currency ?? 'unknown'
      provider.add(currency, 'refunds_minor', report.amountMinor ?? 0n)
      const known = await findKnownRefund(db, place, report.externalId)
      if (known && !known.is_reversed) ours.add(currency, 'refunds_minor', BigInt(known.amount_minor ?? 0))
      else
        await differs(
          report.externalId,
          'externalId' in report.sale ? report.sale.externalId : report.externalId,
        )
    }
  }
  return { since, missed, provider: provider.list(), ours: ours.list(), differences }
}
