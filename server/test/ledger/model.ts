/** A model of the ledger in plain records with independent arithmetic: it shares no code with the program. */
import type { ModelItem } from './payout-model.ts'

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

function exchanged(amount: bigint, from: string, to: string): bigint {
  if (from === to) return amount
  const [whole = '', fraction = ''] = (RATES[`${from}/${to}`] as string).split('.')
  const [up, down] = [EXPONENTS[to] as number, fraction.length + (EXPONENTS[from] as number)]
  return nearest(amount * BigInt(whole + fraction) * 10n ** BigInt(up), 10n ** BigInt(down))
}

export const sum = (amounts: bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

export interface ModelRule {
  beneficiary: 'affiliate' | 'referrer' | 'referee'
  /** Something other than money, which is noted and never paid out. */
  isCredit?: boolean
  /** Basis points, or an amount in the payout currency. */
  basisPoints?: number
  flat?: number
}

export interface ModelCampaign {
  id: number
  payoutCurrency: string
  holdDays: number
  reviews: boolean
  minimum: bigint
  isReferral: boolean
  /** In the order in which they are applied: by the name of whom they reward. */
  rules: ModelRule[]
}

export interface ModelAffiliate {
  id: number
  token: string
  status: 'approved' | 'rejected'
  hasPayPal: boolean
}

export interface ModelEntry {
  /** The id and the time are the database's to give: 0 and '' until it has. */
  id: number
  createdAt: string
  type: 'earned' | 'credit' | 'clawback' | 'adjustment' | 'payout'
  campaign: ModelCampaign
  affiliate: ModelAffiliate
  referral: ModelReferral | null
  beneficiary: string
  /** Below zero where it takes away. */
  amount: bigint
  currency: string
  payout: bigint
  status: 'pending' | 'approved' | 'paid' | 'void'
  /** Whether its hold has passed. */
  isDue: boolean
  /** What a clawback takes from, and an adjustment balances the clawbacks of. */
  of: ModelEntry | null
  /** The payout item that pays it, or is about to. */
  item: ModelItem | null
}

export interface ModelSale {
  externalId: string
  amount: bigint
  currency: string
  /** What was refunded in all, and by each refund. */
  refunded: bigint
  refunds: bigint[]
  entries: ModelEntry[]
}

export interface ModelReferral {
  id: number
  customer: string
  campaign: ModelCampaign
  affiliate: ModelAffiliate
  isTest: boolean
  status: 'pending_review' | 'approved' | 'rejected'
  sales: ModelSale[]
}

/** An unattributed sale. */
export interface ModelKeptSale {
  customer: string
  isAged: boolean
  sale: ModelSale
}

type Said = 'campaign' | 'affiliate' | 'type' | 'amount' | 'payout' | 'currency'

/** Review beats approval: what is approved of a referral in review is not payable yet. What is taken back of what was paid counts at once. */
export const isInReview = ({ referral, of }: ModelEntry) =>
  referral?.status === 'pending_review' && of?.status !== 'paid'

export class LedgerModel {
  readonly referrals: ModelReferral[] = []
  readonly kept: ModelKeptSale[] = []
  /** In the order in which they are written. */
  readonly entries: ModelEntry[] = []

  /** Writes an entry: by default payable at once and without a sale. */
  write(entry: Pick<ModelEntry, Said> & Partial<ModelEntry>): ModelEntry {
    const beneficiary = entry.campaign.isReferral ? 'referrer' : 'affiliate'
    const defaults = { referral: null, beneficiary, status: 'approved', isDue: true, of: null } as const
    const written = { id: 0, createdAt: '', item: null, ...defaults, ...entry }
    this.entries.push(written)
    return written
  }

  sell(
    referral: ModelReferral,
    sale: Omit<ModelSale, 'entries' | 'refunded' | 'refunds'>,
    isAged: boolean,
  ): ModelSale {
    const sold: ModelSale = { ...sale, refunded: 0n, refunds: [], entries: [] }
    this.earn(referral, sold, isAged)
    return sold
  }

  /** What is credited late earns as if it were new. Each refund from before takes back its own part, or all of them void what is pending. */
  adopt(referral: ModelReferral, kept: ModelKeptSale): void {
    this.kept.splice(this.kept.indexOf(kept), 1)
    this.referrals.push(referral)
    this.earn(referral, kept.sale, kept.isAged)
    const { sale } = kept
    const isVoided = ({ status }: ModelEntry) => sale.refunded === sale.amount && status === 'pending'
    let part = 0n
    for (const amount of sale.refunds) {
      part += amount
      for (const entry of sale.entries) if (!isVoided(entry)) this.#takeBack(entry, part, sale.amount)
    }
    for (const entry of sale.entries) if (isVoided(entry)) this.#takeBack(entry, part, sale.amount)
  }

  earn(referral: ModelReferral, sold: ModelSale, isAged: boolean): void {
    const { campaign, affiliate, status } = referral
    const isFree = campaign.holdDays === 0 && status === 'approved'
    for (const { beneficiary, isCredit, basisPoints, flat } of campaign.rules) {
      const amount =
        basisPoints === undefined
          ? BigInt(flat as number)
          : nearest(sold.amount * BigInt(basisPoints), 10_000n)
      const currency = basisPoints === undefined ? campaign.payoutCurrency : sold.currency
      if (amount === 0n || sold.amount === 0n || status === 'rejected' || affiliate.status === 'rejected')
        continue
      sold.entries.push(
        this.write({
          type: isCredit ? 'credit' : 'earned',
          campaign,
          affiliate,
          referral,
          beneficiary,
          amount,
          currency,
          payout: exchanged(amount, currency, campaign.payoutCurrency),
          status: isFree ? 'approved' : 'pending',
          isDue: isAged || campaign.holdDays === 0,
        }),
      )
    }
    referral.sales.push(sold)
  }

  adjust(campaign: ModelCampaign, affiliate: ModelAffiliate, amount: bigint): void {
    const currency = campaign.payoutCurrency
    this.write({ type: 'adjustment', campaign, affiliate, amount, currency, payout: amount })
  }

  clawbacks = (entry: ModelEntry) =>
    this.entries.filter(({ type, of }) => type === 'clawback' && of === entry)

  #takeBack(entry: ModelEntry, part: bigint, whole: bigint, isRejection = false): void {
    if (entry.status === 'void') return
    // A person who voids a clawback alone forgives that much of the refunds, but not of a rejection.
    const taken = this.clawbacks(entry).filter(({ status }) => !isRejection || status !== 'void')
    if (entry.status === 'pending' && (isRejection || (part === whole && taken.length === 0))) {
      this.settle(entry, 'void')
      return
    }
    const target = nearest(entry.amount * part, whole)
    const amount = target + sum(taken.map(one => one.amount))
    if (amount <= 0n) return
    const payout = nearest(entry.payout * target, entry.amount) + sum(taken.map(one => one.payout))
    const status = entry.status === 'pending' ? 'pending' : 'approved'
    const fresh = { id: 0, createdAt: '', item: null }
    this.write({ ...entry, ...fresh, type: 'clawback', amount: -amount, payout: -payout, status, of: entry })
  }

  refund(sale: ModelSale, amount: bigint): void {
    sale.refunded += amount
    sale.refunds.push(amount)
    for (const entry of sale.entries) this.#takeBack(entry, sale.refunded, sale.amount)
  }

  #release(referral: ModelReferral): void {
    for (const entry of this.entries)
      if (entry.referral === referral && entry.status === 'pending' && entry.isDue) entry.status = 'approved'
  }

  /** An entry moves with its clawbacks. What was decided alone before and still counts is balanced when the entry is void. */
  settle(entry: ModelEntry, status: 'approved' | 'void'): void {
    for (const one of [entry, ...this.clawbacks(entry)]) if (one.status === 'pending') one.status = status
    const left = this.clawbacks(entry).filter(one => one.status !== 'void')
    if (status === 'approved' || left.length === 0) return
    const [amount, payout] = [-sum(left.map(one => one.amount)), -sum(left.map(one => one.payout))]
    const fresh = { id: 0, createdAt: '', item: null }
    this.write({ ...entry, ...fresh, type: 'adjustment', amount, payout, status: 'approved', of: entry })
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

  /** An affiliate's balances by currency, without test data and referees' rewards. */
  balances(affiliate: ModelAffiliate): object[] {
    const own = this.entries.filter(
      entry =>
        entry.affiliate === affiliate &&
        entry.status !== 'void' &&
        entry.beneficiary !== 'referee' &&
        !entry.referral?.isTest,
    )
    const currencies = [...new Set(own.map(({ campaign }) => campaign.payoutCurrency))].toSorted()
    return currencies.map(currency => {
      const here = own.filter(({ campaign }) => campaign.payoutCurrency === currency)
      const isCredit = ({ type, of }: ModelEntry) => type === 'credit' || of?.type === 'credit'
      const added = (entries: ModelEntry[]) => Number(sum(entries.map(({ payout }) => payout)))
      const total = (matches: (entry: ModelEntry) => boolean) =>
        added(here.filter(entry => !isCredit(entry) && matches(entry)))
      return {
        currency,
        pending_minor: total(
          entry => entry.status === 'pending' || (entry.status === 'approved' && isInReview(entry)),
        ),
        approved_minor: total(entry => entry.status === 'approved' && !isInReview(entry)),
        paid_out_minor: 0 - total(({ type }) => type === 'payout'),
        balance_minor: total(() => true),
        credit_minor: added(here.filter(isCredit)),
      }
    })
  }
}
