import { type Calendar, daysFrom, partOfDay, TODAY } from './calendar.ts'
import type { CampaignName } from './campaign-name.ts'
import { customerEmail } from './people.ts'
import type { PlannedAffiliate } from './plan-affiliates.ts'
import { type PlannedClick, planClick } from './plan-clicks.ts'
import type { Random } from './random.ts'

export interface PlannedSale {
  externalId: string
  amountMinor: number
  at: string
  refund: { externalId: string; amountMinor: number; at: string } | undefined
}

export interface PlannedCustomer {
  ref: string
  subscriptionRef: string
  campaign: CampaignName
  convertsAt: string
  /** The evidence for attribution; empty for an organic customer. */
  evidence: { click?: PlannedClick; couponCode?: string; token?: string }
  /** That of an affiliate who buys through their own link reveals a self-referral. */
  email: string
  /** The review of such a referral; undefined for recent ones. */
  review: { decision: 'approved' | 'rejected'; at: string } | undefined
  isTest: boolean
  currency: string
  sales: PlannedSale[]
}

const FIRST_DAY = 14
const CHURN_PER_MONTH = 0.09
const REFUND_SHARE = 0.04
const UNREVIEWED_DAYS = 8

const prices: Record<CampaignName, { currencies: string[]; monthlyMinor: number[] }> = {
  affiliates: { currencies: ['USD'], monthlyMinor: [2900, 2900, 7900, 7900, 19_900] },
  agencies: { currencies: ['EUR'], monthlyMinor: [4900, 9900, 9900, 24_900] },
  friends: { currencies: ['USD', 'USD', 'EUR', 'GBP'], monthlyMinor: [2900, 7900] },
}

/** Generates customers with all their payments. */
export class CustomerPlanner {
  readonly #random: Random
  readonly #calendar: Calendar
  readonly #affiliates: PlannedAffiliate[]
  #count = 0
  #invoices = 0

  constructor(random: Random, calendar: Calendar, affiliates: PlannedAffiliate[]) {
    this.#random = random
    this.#calendar = calendar
    this.#affiliates = affiliates.filter(({ decision }) => decision?.status === 'approved')
  }

  /** A referred customer. Undefined if there was no affiliate yet on that day. */
  referred(day = this.#busyDay()): PlannedCustomer | undefined {
    const affiliate = this.#affiliateOn(day)
    if (!affiliate) return undefined
    const random = this.#random
    const campaign = random.pick(affiliate.campaigns)
    const lot = random.next()
    const evidence =
      lot < 0.12 && affiliate.couponCode
        ? { couponCode: affiliate.couponCode }
        : lot < 0.16
          ? { token: affiliate.token }
          : { click: this.#clickBefore(affiliate, campaign, day) }
    return this.#customer(day, campaign, evidence)
  }

  /** An affiliate who buys through their own link. */
  suspicious(day: number): PlannedCustomer | undefined {
    const affiliate = this.#affiliateOn(day)
    if (!affiliate) return undefined
    const campaign = this.#random.pick(affiliate.campaigns)
    const evidence = { click: this.#clickBefore(affiliate, campaign, day) }
    const decision = this.#random.chance(0.65) ? ('rejected' as const) : ('approved' as const)
    const at = this.#calendar.at(day + this.#random.whole(1, 4), partOfDay(this.#random))
    return {
      ...this.#customer(day, campaign, evidence),
      email: affiliate.email,
      review: day > TODAY - UNREVIEWED_DAYS ? undefined : { decision, at },
    }
  }

  /** An unattributed customer: no evidence, an invalid code, or an expired click. */
  unattributed(day = this.#busyDay()): PlannedCustomer {
    const random = this.#random
    const affiliate = this.#affiliateOn(Math.max(FIRST_DAY, day - 130))
    const lot = random.next()
    const evidence =
      lot < 0.35
        ? { couponCode: random.pick(['WELCOME50', 'SPRING', 'FRIENDS-ONLY']) }
        : lot < 0.7 && affiliate && day > 150
          ? { click: this.#clickBefore(affiliate, 'affiliates', day - 100) }
          : {}
    return this.#customer(day, 'affiliates', evidence)
  }

  test(day: number): PlannedCustomer | undefined {
    const affiliate = this.#affiliateOn(day)
    const customer = this.#customer(day, affiliate?.campaigns[0] ?? 'affiliates', {
      token: affiliate?.token ?? 'none',
    })
    return affiliate && { ...customer, isTest: true, sales: customer.sales.slice(0, 1) }
  }

  #busyDay(): number {
    return this.#random.weighted(daysFrom(FIRST_DAY), this.#calendar.busyness)
  }

  #affiliateOn(day: number): PlannedAffiliate | undefined {
    const latest = this.#calendar.at(day - 4, 0)
    const ready = this.#affiliates.filter(({ decision }) => decision && decision.at < latest)
    return ready.length === 0 ? undefined : this.#random.weighted(ready, ({ weight }) => weight)
  }

  /** At least a day earlier, so that it is recorded by then. */
  #clickBefore(affiliate: PlannedAffiliate, campaign: CampaignName, day: number): PlannedClick {
    const at = this.#calendar.at(day - this.#random.whole(1, 3), partOfDay(this.#random))
    return planClick(this.#random, affiliate, campaign, at)
  }

  #customer(day: number, campaign: CampaignName, evidence: PlannedCustomer['evidence']): PlannedCustomer {
    const random = this.#random
    const number = ++this.#count
    const code = (number * 7919 + random.whole(0, 7918) + 40_000_000).toString(36)
    const convertsAt = this.#calendar.at(day, partOfDay(random))
    return {
      ref: `cus_${code}`,
      subscriptionRef: `sub_${code}`,
      campaign,
      convertsAt,
      evidence,
      email: customerEmail(number),
      review: undefined,
      isTest: false,
      currency: random.pick(prices[campaign].currencies),
      sales: this.#sales(campaign, convertsAt),
    }
  }

  /** Monthly until they cancel, or yearly. */
  #sales(campaign: CampaignName, from: string): PlannedSale[] {
    const random = this.#random
    const monthlyMinor = random.pick(prices[campaign].monthlyMinor)
    if (random.chance(0.12)) return [this.#sale(monthlyMinor * 10, from)]
    const sales = [this.#sale(monthlyMinor, from)]
    for (let days = 30; ; days += 30) {
      const at = this.#calendar.after(from, days)
      if (at === undefined || random.chance(CHURN_PER_MONTH)) return sales
      sales.push(this.#sale(monthlyMinor, at))
    }
  }

  #sale(amountMinor: number, at: string): PlannedSale {
    const random = this.#random
    const externalId = `in_${100_000 + ++this.#invoices}`
    const refundedAt = this.#calendar.after(at, random.whole(1, 45))
    const isRefunded = random.chance(REFUND_SHARE)
    // Full, half or a quarter.
    const share = random.pick([1, 1, 1, 2, 4])
    return {
      externalId,
      amountMinor,
      at,
      refund:
        isRefunded && refundedAt !== undefined
          ? {
              externalId: externalId.replace('in_', 're_'),
              amountMinor: Math.floor(amountMinor / share),
              at: refundedAt,
            }
          : undefined,
    }
  }
}
