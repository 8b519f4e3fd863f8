/** What the ledger should hold, as a few plain records and arithmetic of its own: it shares no code with the program. */

const EXPONENTS: Record<string, number> = { JPY: 0, USD: 2, KWD: 3 }
/** One unit of the first in the second. */
export const RATES: Record<string, string> = {
  'USD/JPY': '151.37',
  'JPY/USD': '0.0066',
  'USD/KWD': '0.3071',
  'KWD/USD': '3.2563',
  'JPY/KWD': '0.00203',
  'KWD/JPY': '492.9',
}

/** The nearest integer to a fraction of positive integers, and the even one of two. */
function nearest(numerator: bigint, denominator: bigint): bigint {
  const floor = numerator / denominator
  const doubled = 2n * (numerator - floor * denominator)
  if (doubled < denominator) return floor
  if (doubled > denominator) return floor + 1n
  return floor % 2n === 0n ? floor : floor + 1n
}

export function exchanged(amount: bigint, from: string, to: string): bigint {
  if (from === to) return amount
  const [whole = '', fraction = ''] = (RATES[`${from}/${to}`] as string).split('.')
  const [up, down] = [EXPONENTS[to] as number, fraction.length + (EXPONENTS[from] as number)]
  return nearest(amount * BigInt(whole + fraction) * 10n ** BigInt(up), 10n ** BigInt(down))
}

export interface ModelRule {
  beneficiary: 'affiliate' | 'referrer' | 'referee'
  /** Basis points, or an amount in the payout currency. */
  basisPoints?: number
  flat?: number
}

export interface ModelCampaign {
  id: number
  affiliateId: number
  payoutCurrency: string
  holdDays: number
  reviews: boolean
  rules: ModelRule[]
}

export interface ModelEntry {
  id: number
  beneficiary: string
  amount: bigint
  payout: bigint
  status: 'pending' | 'approved' | 'paid' | 'void'
  isDue: boolean
  clawed: bigint
  clawedPayout: bigint
  /** How much of what was taken back is payable already; the rest waits with the entry. */
  clawedPayoutNow: bigint
}

export interface ModelSale {
  externalId: string
  amount: bigint
  currency: string
  refunded: bigint
  entries: ModelEntry[]
}

export interface ModelReferral {
  id: number
  customer: string
  campaign: ModelCampaign
  status: 'pending_review' | 'approved' | 'rejected'
  sales: ModelSale[]
}

export class LedgerModel {
  readonly referrals: ModelReferral[] = []
  readonly adjustments: { campaign: ModelCampaign; amount: bigint }[] = []

  /** What a sale should earn, before the ids of its entries are known. */
  sell(referral: ModelReferral, sale: Omit<ModelSale, 'entries' | 'refunded'>, isAged: boolean): ModelSale {
    const { campaign, status } = referral
    const isDue = isAged || campaign.holdDays === 0
    const entries = campaign.rules.flatMap(({ beneficiary, basisPoints, flat }): ModelEntry[] => {
      const amount =
        basisPoints === undefined
          ? BigInt(flat as number)
          : nearest(sale.amount * BigInt(basisPoints), 10_000n)
      const currency = basisPoints === undefined ? campaign.payoutCurrency : sale.currency
      if (amount === 0n || sale.amount === 0n || status === 'rejected') return []
      const isFree = campaign.holdDays === 0 && status === 'approved'
      return [
        {
          id: 0,
          beneficiary,
          amount,
          payout: exchanged(amount, currency, campaign.payoutCurrency),
          status: isFree ? 'approved' : 'pending',
          isDue,
          clawed: 0n,
          clawedPayout: 0n,
          clawedPayoutNow: 0n,
        },
      ]
    })
    const sold = { ...sale, refunded: 0n, entries }
    referral.sales.push(sold)
    return sold
  }

  #takeBack(entry: ModelEntry, part: bigint, whole: bigint, isRejection = false): void {
    if (entry.status === 'void') return
    if (entry.status === 'pending' && part === whole && (isRejection || entry.clawed === 0n)) {
      entry.status = 'void'
      return
    }
    const amount = nearest(entry.amount * part, whole)
    const payout = nearest(entry.payout * amount, entry.amount)
    const more = payout > entry.clawedPayout ? payout - entry.clawedPayout : 0n
    if (amount > entry.clawed) entry.clawed = amount
    entry.clawedPayout += more
    if (entry.status !== 'pending') entry.clawedPayoutNow += more
  }

  refund(sale: ModelSale, amount: bigint): void {
    sale.refunded += amount
    for (const entry of sale.entries) this.#takeBack(entry, sale.refunded, sale.amount)
  }

  #release(referral: ModelReferral): void {
    for (const entry of referral.sales.flatMap(({ entries }) => entries))
      if (entry.status === 'pending' && entry.isDue) this.settle(entry, 'approved')
  }

  settle(entry: ModelEntry, status: 'approved' | 'void'): void {
    entry.status = status
    entry.clawedPayoutNow = entry.clawedPayout
  }

  review(referral: ModelReferral, decision: 'approved' | 'rejected'): void {
    referral.status = decision
    if (decision === 'approved') this.#release(referral)
    else
      for (const sale of referral.sales) for (const entry of sale.entries) this.#takeBack(entry, 1n, 1n, true)
  }

  releaseHolds(): void {
    for (const referral of this.referrals) if (referral.status === 'approved') this.#release(referral)
  }

  /** What the affiliate of a campaign has: each has one campaign of its own here. */
  balance(campaign: ModelCampaign): { pending: bigint; approved: bigint; total: bigint } {
    const sum = { pending: 0n, approved: 0n, total: 0n }
    for (const { amount } of this.adjustments.filter(one => one.campaign === campaign)) {
      sum.approved += amount
      sum.total += amount
    }
    const own = this.referrals.filter(one => one.campaign === campaign).flatMap(one => one.sales)
    for (const entry of own.flatMap(({ entries }) => entries)) {
      if (entry.status === 'void' || entry.beneficiary === 'referee') continue
      sum.total += entry.payout - entry.clawedPayout
      if (entry.status === 'pending') sum.pending += entry.payout
      if (entry.status === 'approved') sum.approved += entry.payout
      sum.approved -= entry.clawedPayoutNow
      sum.pending -= entry.clawedPayout - entry.clawedPayoutNow
    }
    return sum
  }
}
