import type { Earnings, Home } from '@tributary/contract/portal'
import { expect } from 'vitest'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { unique } from '../factories.ts'
import type { Scene } from '../harness.ts'
import { approvedAffiliate, convert, openCampaign, refund, type Terms, type Won } from '../ledger/scene.ts'
import { PortalBrowser } from './affiliate.ts'

export interface Ground extends Won {
  jane: PortalBrowser
}

/** What the tests of the home page do and look at. */
export function useEarnings(scene: Scene) {
  /** A signed-in affiliate, and a customer they referred. */
  async function ground(terms: Terms = {}, extra: object = {}): Promise<Ground> {
    const campaign = await openCampaign(scene.database, scene.account.id, terms)
    const affiliate = await approvedAffiliate(scene, campaign.id, { paypal_email: 'jane@pay.example' })
    const customer_ref = unique('customer')
    const report = { campaign_id: campaign.id, customer_ref, token: affiliate.token, ...extra }
    const { body } = await convert(scene.api, report)
    const jane = await PortalBrowser.signIn(scene, affiliate.id)
    return { campaign, affiliate, customer_ref, referralId: body.referral.id, jane }
  }

  /** What the home page shows, held against itself and against the ledger's own balances. */
  async function home({ jane, affiliate }: Pick<Ground, 'jane' | 'affiliate'>): Promise<Home> {
    const shown: Home = await jane.ask('getHome')
    for (const one of shown.earnings) {
      expect(one.pending_minor + one.approved_minor + one.in_payout_minor + one.paid_minor).toBe(
        one.earned_minor,
      )
      const held = one.holds.reduce((sum, hold) => sum + hold.amount_minor, 0)
      expect(held + one.in_review_minor).toBe(one.pending_minor)
    }
    const balances = await balancesOf(scene.database.db, scene.account.id, affiliate.id)
    const sums = (field: (one: Earnings) => number) =>
      Object.fromEntries(
        balances.map(({ currency }) => [
          currency,
          shown.earnings.filter(one => one.currency === currency).reduce((sum, one) => sum + field(one), 0),
        ]),
      )
    const ofLedger = (field: keyof (typeof balances)[number]) =>
      Object.fromEntries(balances.map(balance => [balance.currency, balance[field]]))
    expect(sums(one => one.earned_minor - one.paid_minor)).toEqual(ofLedger('balance_minor'))
    expect(sums(one => one.credit_minor)).toEqual(ofLedger('credit_minor'))
    expect(sums(one => one.paid_minor)).toEqual(ofLedger('paid_out_minor'))
    return shown
  }

  /** The totals of the only campaign: earned, pending, approved, in a payout, paid. */
  async function figures(of: Ground): Promise<number[]> {
    const { earnings } = await home(of)
    const [one] = earnings
    if (!one) throw new Error('There are no earnings.')
    return [one.earned_minor, one.pending_minor, one.approved_minor, one.in_payout_minor, one.paid_minor]
  }

  /** The company approves what is held before its time. */
  const approve = async (id: number | undefined) => {
    if (id !== undefined)
      expect((await scene.api.patch(`/commissions/${id}`, { status: 'approved' })).status).toBe(200)
  }
  const takeBack = (sale_external_id: string, amount_minor?: number) =>
    refund(scene.api, {
      external_id: unique('refund'),
      sale_external_id,
      ...(amount_minor !== undefined && { amount_minor }),
    })

  return { ground, home, figures, takeBack, approve }
}
