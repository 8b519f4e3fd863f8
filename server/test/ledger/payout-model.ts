/** What payouts should hold and do, in the same plain arithmetic as the rest of the model. */
import {
  isInReview,
  type LedgerModel,
  type ModelAffiliate,
  type ModelCampaign,
  type ModelEntry,
  sum,
} from './model.ts'

export interface ModelItem {
  id: number
  affiliate: ModelAffiliate
  amount: bigint
  status: 'pending' | 'processing' | 'paid' | 'failed' | 'canceled'
  /** What it was made of, also after it has let go of it. */
  entries: ModelEntry[]
}

export interface ModelPayout {
  id: number
  campaign: ModelCampaign
  status: 'pending' | 'processing' | 'paid' | 'partially_paid' | 'failed' | 'canceled'
  items: ModelItem[]
}

/** What one affiliate would get, or why nothing. */
export interface Judgement {
  affiliate: ModelAffiliate
  amount: bigint
  onHold: bigint
  inReview: bigint
  inPayout: bigint
  entries: ModelEntry[]
  reason: string | null
}

const total = (entries: ModelEntry[]) => sum(entries.map(({ payout }) => payout))
/** What takes away counts before its time, but never before that which it takes from. */
const isUntil = (cutOff: string, { createdAt, payout, of }: ModelEntry) =>
  (of?.createdAt ?? '') <= cutOff && (createdAt <= cutOff || payout < 0n)
const isOpen = ({ status }: ModelItem) => status === 'pending' || status === 'processing'

export class PayoutModel {
  readonly payouts: ModelPayout[] = []
  readonly #ledger: LedgerModel

  constructor(ledger: LedgerModel) {
    this.#ledger = ledger
  }

  /** Everybody with something that waits and is in no payout yet, in the order of their ids. */
  judge(campaign: ModelCampaign, cutOff: string | undefined, needsPayPal: boolean): Judgement[] {
    const waiting = this.#ledger.entries.filter(
      entry =>
        entry.campaign === campaign &&
        ['pending', 'approved'].includes(entry.status) &&
        entry.beneficiary !== 'referee' &&
        [entry.type, entry.of?.type].every(type => type !== 'credit') &&
        (cutOff === undefined || isUntil(cutOff, entry)),
    )
    const affiliates = [...new Set(waiting.filter(({ item }) => !item).map(({ affiliate }) => affiliate))]
    return affiliates
      .toSorted((a, b) => a.id - b.id)
      .map(affiliate =>
        this.#judgeOne(
          campaign,
          affiliate,
          waiting.filter(entry => entry.affiliate === affiliate),
          needsPayPal,
        ),
      )
  }

  #judgeOne(
    campaign: ModelCampaign,
    affiliate: ModelAffiliate,
    waiting: ModelEntry[],
    needsPayPal: boolean,
  ): Judgement {
    const real = waiting.filter(({ referral }) => !referral?.isTest)
    const free = real.filter(({ item }) => item === null)
    const inReview = free.filter(isInReview)
    const entries = free.filter(entry => entry.status === 'approved' && !isInReview(entry))
    const amount = total(entries)
    const reasons = {
      test_only: free.length === 0,
      not_approved: affiliate.status !== 'approved',
      in_review: entries.length === 0 && inReview.length > 0,
      on_hold: entries.length === 0,
      negative_balance: amount < 0n,
      below_minimum: amount === 0n || amount < campaign.minimum,
      no_payout_address: needsPayPal && !affiliate.hasPayPal,
    }
    return {
      affiliate,
      amount,
      onHold: total(free.filter(entry => entry.status === 'pending' && !isInReview(entry))),
      inReview: total(inReview),
      inPayout: total(real.filter(({ item }) => item !== null)),
      entries,
      reason: Object.entries(reasons).find(([, applies]) => applies)?.[0] ?? null,
    }
  }

  open(id: number, campaign: ModelCampaign, judgements: Judgement[]): void {
    const items = judgements.filter(({ reason }) => reason === null)
    this.payouts.push({
      id,
      campaign,
      status: 'pending',
      items: items.map(({ affiliate, amount, entries }) => {
        const item: ModelItem = { id: 0, affiliate, amount, status: 'pending', entries }
        for (const entry of entries) entry.item = item
        return item
      }),
    })
  }

  readonly openItems = ({ items }: ModelPayout): ModelItem[] => items.filter(isOpen)

  /** What is paid is taken off the balance; what is not is free for the next payout. */
  decide(payout: ModelPayout, items: ModelItem[], outcome: 'paid' | 'failed' | 'canceled'): void {
    for (const item of items) {
      item.status = outcome
      for (const entry of item.entries)
        if (outcome === 'paid') entry.status = 'paid'
        else entry.item = null
      if (outcome === 'paid') this.#writePayoutEntry(payout.campaign, item)
    }
    for (const item of this.openItems(payout)) item.status = 'processing'
    payout.status = this.#statusOf(payout.items.map(({ status }) => status))
  }

  #writePayoutEntry(campaign: ModelCampaign, { affiliate, amount }: ModelItem): void {
    const [currency, payout] = [campaign.payoutCurrency, -amount]
    this.#ledger.write({
      type: 'payout',
      campaign,
      affiliate,
      amount: payout,
      currency,
      payout,
      status: 'paid',
    })
  }

  #statusOf(items: ModelItem['status'][]): ModelPayout['status'] {
    if (items.includes('processing')) return 'processing'
    if (!items.includes('paid')) return items.includes('failed') ? 'failed' : 'canceled'
    return items.every(status => status === 'paid') ? 'paid' : 'partially_paid'
  }
}
