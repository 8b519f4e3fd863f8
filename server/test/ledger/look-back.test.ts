/**
 * Protects "approval looks back": a conversion that was not credited only because its affiliate was pending is credited when the
 * affiliate is approved, exactly once, with its first sale and its events, whatever happens beside it.
 */
import type { Affiliate, Campaign } from '@tributary/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { lookBack } from '../../src/earning/conversions/look-back.ts'
import { reportConversion } from '../../src/earning/conversions/report-conversion.ts'
import { noEmails } from '../../src/earning/conversions/suspicions-of.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { reportSale } from '../../src/earning/sales/report-sale.ts'
import { buildAffiliate, unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { lockWaiters, whileHeld } from '../interleave.ts'
import {
  approvedAffiliate,
  buildClick,
  changeRewards,
  convert,
  countRows,
  entriesOf,
  openCampaign,
  percent,
  refund,
  sell,
  short,
  type Terms,
} from './scene.ts'

const scene = useOwnScene()
const DAY = 24 * 3600 * 1000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString()
const run = () => lookBack(scene.database.db, noEmails, 60_000)
const approve = (affiliate: Pick<Affiliate, 'id'>) =>
  scene.api.patch(`/affiliates/${affiliate.id}`, { status: 'approved' })
const newSale = (amount_minor = 10_000) => ({ external_id: unique('sale'), amount_minor, currency: 'USD' })
const referralsOf = async (customer_ref: string) =>
  (await scene.api.get(`/referrals?customer_ref=${customer_ref}`)).body.data
const waiting = (affiliate: Pick<Affiliate, 'id'>) =>
  countRows(scene, 'pending_credits', 'affiliate_id = $1', [affiliate.id])
const notes = (affiliate: Pick<Affiliate, 'id'>) =>
  countRows(scene, 'look_backs', 'affiliate_id = $1', [affiliate.id])
const events = (kind: string, ids: number[]) =>
  countRows(scene, 'events', 'kind = $1 AND subject_id = ANY ($2::bigint[])', [kind, ids])

async function ground(terms: Terms = {}) {
  const campaign = await openCampaign(scene.database, scene.account.id, terms)
  const affiliate = await newcomer(campaign)
  return { campaign, affiliate, customer_ref: unique('customer') }
}

const newcomer = (campaign: Campaign, names: object = {}) =>
  buildAffiliate(scene.database, scene.account.id, campaign.id, { token: unique('token'), ...names })

/** Reports an unattributed conversion. */
async function unattributed(body: object) {
  const answer = await convert(scene.api, body)
  expect([answer.status, answer.body.referral]).toEqual([200, null])
  return answer
}

describe('on approval', () => {
  it('the conversion is credited with its first sale and its events, and explained as such', async () => {
    const { campaign, affiliate, customer_ref } = await ground({ hold_days: 30 })
    const sale = newSale()
    const occurred_at = daysAgo(3)
    const body = { campaign_id: campaign.id, customer_ref, token: affiliate.token, sale, occurred_at }
    await unattributed({ ...body, subscription_ref: 'sub-1' })
    await run()
    expect(await referralsOf(customer_ref)).toEqual([])
    await approve(affiliate)
    await run()
    const again = await convert(scene.api, body)
    expect(again).toMatchObject({
      status: 200,
      body: {
        referral: { affiliate_id: affiliate.id, status: 'approved', subscription_ref: 'sub-1', occurred_at },
        commissions: [{ amount_minor: 2000, status: 'pending' }],
        attribution: { affiliate_id: affiliate.id, review: [], candidates: [{ outcome: 'won' }] },
      },
    })
    expect(again.body.attribution.reason).toMatch(/^Credited on approval: the affiliate was pending at/)
    const [entry] = again.body.commissions
    expect(entry.hold_until).toBe(new Date(Date.parse(occurred_at) + 30 * DAY).toISOString())
    expect(await events('conversion.created', [again.body.referral.id])).toBe(1)
    expect(await events('commission.created', [entry.id])).toBe(1)
    expect([await waiting(affiliate), await notes(affiliate)]).toEqual([0, 0])
  })

  it('by click and by coupon code too; a sale that came alone after it is its first sale', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    const click_id = await buildClick(scene, { campaignId: campaign.id, affiliateId: affiliate.id })
    await unattributed({ campaign_id: campaign.id, customer_ref, click_id })
    const [first, second] = [newSale(100), newSale(5000)]
    for (const sale of [first, second]) await sell(scene.api, { customer_ref, ...sale })
    await approve(affiliate)
    await run()
    const [referral] = await referralsOf(customer_ref)
    expect(referral).toMatchObject({ affiliate_id: affiliate.id })
    expect((await entriesOf(scene, referral.id)).map(short)).toEqual([['earned', 20, 'approved']])
  })

  it('a trial of 0 that came with it is no first sale: the next one is', async () => {
    const { campaign, affiliate, customer_ref } = await ground({
      rewards: [percent(2000, { recurringMonths: 0 })],
    })
    const body = { campaign_id: campaign.id, customer_ref, token: affiliate.token, occurred_at: daysAgo(3) }
    await unattributed({ ...body, sale: newSale(0) })
    for (const amount of [100, 5000]) await sell(scene.api, { customer_ref, ...newSale(amount) })
    await approve(affiliate)
    await run()
    const [referral] = await referralsOf(customer_ref)
    expect((await entriesOf(scene, referral.id)).map(short)).toEqual([['earned', 20, 'approved']])
  })

  it('where the sale that came with it is credited elsewhere by then, the next one is its first', async () => {
    const [here, elsewhere] = [await ground(), await ground()]
    const { customer_ref } = here
    const sale = newSale()
    const body = { campaign_id: here.campaign.id, customer_ref, token: here.affiliate.token, sale }
    await unattributed(body)
    const rival = await approvedAffiliate(scene, elsewhere.campaign.id)
    const other = { campaign_id: elsewhere.campaign.id, customer_ref, token: rival.token, sale }
    expect((await convert(scene.api, other)).status).toBe(201)
    // A sale that names a campaign in which its customer has no referral is unattributed.
    await sell(scene.api, { customer_ref, campaign_id: here.campaign.id, ...newSale(5000) })
    await approve(here.affiliate)
    await run()
    const referrals = await referralsOf(customer_ref)
    const entries = await Promise.all(referrals.map(({ id }: { id: number }) => entriesOf(scene, id)))
    expect(entries.map(each => each.map(short))).toEqual([
      [['earned', 1000, 'approved']],
      [['earned', 2000, 'approved']],
    ])
  })

  it('sales that are reported between the approval and the look-back earn as usual', async () => {
    const rewards = [percent(2000, { recurringMonths: 1 })]
    const { campaign, affiliate, customer_ref } = await ground({ rewards })
    const [first, second, before] = [newSale(), newSale(5000), newSale(300)]
    const occurred_at = daysAgo(1)
    const body = { campaign_id: campaign.id, customer_ref, token: affiliate.token, occurred_at }
    await unattributed({ ...body, sale: first })
    await sell(scene.api, { customer_ref, ...before })
    await approve(affiliate)
    const late = { ...newSale(700), occurred_at: daysAgo(-60) }
    for (const sale of [second, newSale(0), late]) {
      const { status, body } = await sell(scene.api, { customer_ref, ...sale })
      expect([status, body.referral]).toEqual([200, null])
    }
    await refund(scene.api, { external_id: unique('refund'), sale_external_id: second.external_id })
    await run()
    const [referral] = await referralsOf(customer_ref)
    expect((await entriesOf(scene, referral.id)).map(short)).toEqual([
      ['earned', 2000, 'approved'],
      ['earned', 1000, 'approved'],
      ['clawback', -1000, 'approved'],
    ])
    expect((await sell(scene.api, { customer_ref, ...late })).body.referral).toEqual(referral)
    expect((await sell(scene.api, { customer_ref, ...before })).body.referral).toBeNull()
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('a test that is reported meanwhile, without evidence, takes nothing from the live conversion', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    const body = { campaign_id: campaign.id, customer_ref }
    await unattributed({ ...body, token: affiliate.token, sale: newSale() })
    await unattributed({ ...body, is_test: true, sale: newSale(700) })
    await approve(affiliate)
    await run()
    const [referral] = await referralsOf(customer_ref)
    expect(referral.is_test).toBe(false)
    expect((await entriesOf(scene, referral.id)).map(short)).toEqual([['earned', 2000, 'approved']])
  })

  it('a live conversion is not credited for the evidence of a test before it', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    const body = { campaign_id: campaign.id, customer_ref }
    await unattributed({ ...body, is_test: true, token: affiliate.token, sale: newSale(700) })
    await unattributed({ ...body, sale: newSale() })
    await approve(affiliate)
    await run()
    expect(await referralsOf(customer_ref)).toEqual([])
  })

  it.each(['alone', 'with another sale', 'with one that is known'])(
    'a report of the conversion that comes before the look-back, %s, earns what that would have',
    async how => {
      const { campaign, affiliate, customer_ref } = await ground()
      const body = { campaign_id: campaign.id, customer_ref, token: affiliate.token, occurred_at: daysAgo(1) }
      await unattributed(body)
      const [first, before, since, other] = [newSale(), newSale(300), newSale(5000), newSale(700)]
      for (const sale of [first, before]) await sell(scene.api, { customer_ref, ...sale })
      await approve(affiliate)
      await sell(scene.api, { customer_ref, ...since })
      const sale = { alone: undefined, 'with another sale': other, 'with one that is known': since }[how]
      const report = await convert(scene.api, { ...body, ...(sale && { sale }) })
      expect(report.status).toBe(201)
      await run()
      expect([await waiting(affiliate), await notes(affiliate)]).toEqual([0, 0])
      const entries = await entriesOf(scene, report.body.referral.id)
      expect(entries.map(({ amount_minor }) => amount_minor).sort((a, b) => b - a)).toEqual([
        2000,
        1000,
        ...(sale === other ? [140] : []),
      ])
      expect((await sell(scene.api, { customer_ref, ...before })).body.referral).toBeNull()
      expect(await brokenInvariants(scene.database)).toEqual([])
    },
  )

  it('a sale from before the campaign’s rules changed earns by those of then, one from after by the new ones', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    await unattributed({ campaign_id: campaign.id, customer_ref, token: affiliate.token, sale: newSale() })
    await changeRewards(scene, campaign, [percent(5000)])
    await approve(affiliate)
    await sell(scene.api, { customer_ref, ...newSale() })
    await changeRewards(scene, campaign, [percent(9000)])
    await run()
    const [referral] = await referralsOf(customer_ref)
    expect((await entriesOf(scene, referral.id)).map(short)).toEqual([
      ['earned', 2000, 'approved'],
      ['earned', 5000, 'approved'],
    ])
  })

  it('a sale that came with the conversion of another campaign is not its first', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    const elsewhere = await ground()
    const body = { campaign_id: campaign.id, customer_ref, token: affiliate.token }
    await unattributed({ ...body, sale: newSale(0) })
    const other = { campaign_id: elsewhere.campaign.id, customer_ref, sale: newSale(5000) }
    await unattributed({ ...other, token: elsewhere.affiliate.token })
    await approve(affiliate)
    await run()
    const [referral] = await referralsOf(customer_ref)
    expect(await entriesOf(scene, referral.id)).toEqual([])
    await approve(elsewhere.affiliate)
    await run()
    const { body: found } = await convert(scene.api, other)
    expect(found.referral.affiliate_id).toBe(elsewhere.affiliate.id)
    expect(found.commissions.map(short)).toEqual([['earned', 1000, 'approved']])
  })

  it('a sale reported since with the conversion of another campaign stays with that', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    const elsewhere = await ground()
    await unattributed({ campaign_id: campaign.id, customer_ref, token: affiliate.token, sale: newSale() })
    await approve(affiliate)
    const sale = newSale(5000)
    const other = { campaign_id: elsewhere.campaign.id, customer_ref, sale }
    await unattributed({ ...other, token: elsewhere.affiliate.token })
    await run()
    const [referral] = await referralsOf(customer_ref)
    expect((await entriesOf(scene, referral.id)).map(short)).toEqual([['earned', 2000, 'approved']])
    await approve(elsewhere.affiliate)
    await run()
    const { body } = await convert(scene.api, other)
    expect(body.referral.affiliate_id).toBe(elsewhere.affiliate.id)
    expect(body.commissions.map(short)).toEqual([['earned', 1000, 'approved']])
  })

  it('what was refunded before is taken back', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    const [sale, gone] = [newSale(), newSale()]
    await unattributed({ campaign_id: campaign.id, customer_ref, token: affiliate.token, sale })
    const other = unique('customer')
    await unattributed({ campaign_id: campaign.id, customer_ref: other, token: affiliate.token, sale: gone })
    const back = (sale_external_id: string, rest: object) =>
      refund(scene.api, { external_id: unique('refund'), sale_external_id, ...rest })
    await back(sale.external_id, { amount_minor: 2500 })
    await back(gone.external_id, {})
    await approve(affiliate)
    await run()
    const owed = async (ref: string) => {
      const [referral] = await referralsOf(ref)
      const entries = await entriesOf(scene, referral.id)
      return entries.reduce((sum, entry) => sum + (entry.status === 'void' ? 0 : entry.amount_minor), 0)
    }
    expect([await owed(customer_ref), await owed(other)]).toEqual([1500, 0])
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('a test stays a test', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    await unattributed({ campaign_id: campaign.id, customer_ref, token: affiliate.token, is_test: true })
    await approve(affiliate)
    await run()
    expect(await referralsOf(customer_ref)).toMatchObject([{ is_test: true }])
  })

  it.each<[string, (email: string) => object, Terms, RegExp]>([
    ['the customer’s email at the conversion', email => ({ customer_email: email }), {}, /self-referral/],
    ['a campaign that reviews every referral', () => ({}), { reviewsReferrals: true }, /reviews every/],
  ])('%s leads to a review', async (_what, extra, terms, reason) => {
    const { campaign, affiliate, customer_ref } = await ground(terms)
    const body = { campaign_id: campaign.id, customer_ref, token: affiliate.token, sale: newSale() }
    await unattributed({ ...body, ...extra(affiliate.email) })
    await approve(affiliate)
    await run()
    const [referral] = await referralsOf(customer_ref)
    expect(referral.status).toBe('pending_review')
    const { attribution, commissions } = (await convert(scene.api, body)).body
    expect(attribution.review).toEqual([expect.stringMatching(reason)])
    expect(commissions.map(short)).toEqual([['earned', 2000, 'pending']])
    await reviewReferral(scene.database.db, scene.account.id, referral.id, 'approved')
    expect((await entriesOf(scene, referral.id)).map(short)).toEqual([['earned', 2000, 'approved']])
  })

  it('a click from where the affiliate has signed in since leads to a review', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    const click_id = await buildClick(scene, { campaignId: campaign.id, affiliateId: affiliate.id })
    const hash = Buffer.alloc(32, 7)
    await scene.database.owner.query('UPDATE clicks SET address_hash = $2 WHERE id = $1', [click_id, hash])
    await unattributed({ campaign_id: campaign.id, customer_ref, click_id })
    await scene.database.owner.query(
      'INSERT INTO affiliate_addresses (account_id, affiliate_id, address_hash) VALUES ($1, $2, $3)',
      [scene.account.id, affiliate.id, hash],
    )
    await approve(affiliate)
    await run()
    expect(await referralsOf(customer_ref)).toMatchObject([{ status: 'pending_review' }])
  })
})

describe('it credits nothing', () => {
  const stays = async (affiliate: Affiliate, customer_ref: string) => {
    await approve(affiliate)
    await run()
    expect(await referralsOf(customer_ref)).toEqual([])
    expect([await waiting(affiliate), await notes(affiliate)]).toEqual([0, 0])
  }

  it('where the campaign has it switched off', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    await unattributed({ campaign_id: campaign.id, customer_ref, token: affiliate.token })
    await scene.database.owner.query('UPDATE campaigns SET look_back = false WHERE id = $1', [campaign.id])
    await stays(affiliate, customer_ref)
  })

  it('where the approval comes after the attribution window', async () => {
    const { campaign, affiliate, customer_ref } = await ground({ attribution_window_days: 30 })
    const body = { campaign_id: campaign.id, token: affiliate.token }
    await unattributed({ ...body, customer_ref, occurred_at: daysAgo(31) })
    const inTime = unique('customer')
    await unattributed({ ...body, customer_ref: inTime, occurred_at: daysAgo(29) })
    await stays(affiliate, customer_ref)
    expect(await referralsOf(inTime)).toHaveLength(1)
  })

  it('where something else spoke against the affiliate too', async () => {
    const { campaign, affiliate } = await ground({ attribution_window_days: 30 })
    const elsewhere = await ground()
    const old = await buildClick(scene, {
      campaignId: campaign.id,
      affiliateId: affiliate.id,
      ago: '31 days',
    })
    const customers = [unique('customer'), unique('customer')] as const
    await unattributed({ campaign_id: campaign.id, customer_ref: customers[0], click_id: old })
    // Not enrolled there.
    await unattributed({
      campaign_id: elsewhere.campaign.id,
      customer_ref: customers[1],
      token: affiliate.token,
    })
    expect(await waiting(affiliate)).toBe(0)
    for (const customer_ref of customers) await stays(affiliate, customer_ref)
  })

  it('for an affiliate that is rejected, until it is approved', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    await unattributed({ campaign_id: campaign.id, customer_ref, token: affiliate.token })
    await approve(affiliate)
    await scene.api.patch(`/affiliates/${affiliate.id}`, { status: 'rejected' })
    await run()
    expect([await referralsOf(customer_ref), await notes(affiliate)]).toEqual([[], 0])
    await approve(affiliate)
    await run()
    expect(await referralsOf(customer_ref)).toHaveLength(1)
  })

  it('where another affiliate got the customer meanwhile', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    const rival = await approvedAffiliate(scene, campaign.id)
    const body = { campaign_id: campaign.id, customer_ref }
    await unattributed({ ...body, token: affiliate.token })
    expect((await convert(scene.api, { ...body, token: rival.token })).status).toBe(201)
    await approve(affiliate)
    await run()
    expect(await referralsOf(customer_ref)).toMatchObject([{ affiliate_id: rival.id }])
    expect(await waiting(affiliate)).toBe(0)
  })
})

it('of two that are approved together the one with the better evidence gets the customer, in either order', async () => {
  for (const firstByCoupon of [true, false]) {
    const { campaign, affiliate: byToken, customer_ref } = await ground()
    const byCoupon = await newcomer(campaign, { coupon_code: unique('Code') })
    await unattributed({
      campaign_id: campaign.id,
      customer_ref,
      token: byToken.token,
      coupon_code: byCoupon.coupon_code,
    })
    const both = firstByCoupon ? [byCoupon, byToken] : [byToken, byCoupon]
    for (const affiliate of both) await approve(affiliate)
    await run()
    expect(await referralsOf(customer_ref)).toMatchObject([{ affiliate_id: byCoupon.id }])
    expect([await waiting(byToken), await notes(byToken), await notes(byCoupon)]).toEqual([0, 0, 0])
  }
})

it('a later report without evidence does not spoil it', async () => {
  const { campaign, affiliate, customer_ref } = await ground()
  const body = { campaign_id: campaign.id, customer_ref }
  await unattributed({ ...body, token: affiliate.token })
  await unattributed(body)
  await approve(affiliate)
  await run()
  expect(await referralsOf(customer_ref)).toMatchObject([{ affiliate_id: affiliate.id }])
})

describe('beside other work', () => {
  it('four at once credit forty conversions once each', async () => {
    const { campaign, affiliate } = await ground()
    const base = { campaign_id: campaign.id, token: affiliate.token }
    const customers = Array.from({ length: 40 }, () => unique('customer'))
    for (const customer_ref of customers) await unattributed({ ...base, customer_ref, sale: newSale() })
    await approve(affiliate)
    await Promise.all([run(), run(), run(), run()])
    const ids = async (table: string) =>
      (
        await scene.database.owner.query(`SELECT id FROM ${table} WHERE affiliate_id = $1`, [affiliate.id])
      ).rows.map(({ id }) => Number(id))
    const [referrals, entries] = [await ids('referrals'), await ids('commissions')]
    expect([referrals.length, entries.length]).toEqual([40, 40])
    expect(await events('conversion.created', referrals)).toBe(40)
    expect(await events('commission.created', entries)).toBe(40)
    expect(await notes(affiliate)).toBe(0)
  })

  it('reports of the same customers, sales and refunds at the same time', async () => {
    const { campaign, affiliate } = await ground()
    const base = { campaign_id: campaign.id, token: affiliate.token }
    const sold = Array.from({ length: 12 }, () => ({ customer_ref: unique('customer'), sale: newSale() }))
    for (const one of sold) await unattributed({ ...base, ...one })
    await approve(affiliate)
    await Promise.all([
      run(),
      ...sold.map(one => convert(scene.api, { ...base, ...one })),
      ...sold.map(({ customer_ref }) => sell(scene.api, { customer_ref, ...newSale(500) })),
      ...sold.map(({ sale }) =>
        refund(scene.api, {
          external_id: unique('refund'),
          sale_external_id: sale.external_id,
          amount_minor: 5000,
        }),
      ),
    ])
    await run()
    for (const { customer_ref } of sold) {
      const referrals = await referralsOf(customer_ref)
      expect(referrals).toHaveLength(1)
      const entries = await entriesOf(scene, referrals[0].id)
      expect(entries.filter(({ amount_minor }) => amount_minor === 2000)).toHaveLength(1)
      expect(entries.filter(({ amount_minor }) => amount_minor === -1000)).toHaveLength(1)
    }
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('a sale that is being reported meanwhile is waited for, and earns once', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    await unattributed({ campaign_id: campaign.id, customer_ref, token: affiliate.token, sale: newSale() })
    await approve(affiliate)
    const sale = { customer_ref, ...newSale(5000) }
    await whileHeld(
      scene.database,
      tx => reportSale(tx, scene.account.id, sale),
      () => Promise.all([run(), run()]),
    )
    const [referral] = await referralsOf(customer_ref)
    expect((await entriesOf(scene, referral.id)).map(short)).toEqual([
      ['earned', 2000, 'approved'],
      ['earned', 1000, 'approved'],
    ])
  })

  /** A connection that holds something while the others go on, until it is let go. */
  async function holding<T>(statement: string, values: unknown[], meanwhile: () => Promise<T>): Promise<T> {
    const blocker = await scene.database.owner.connect()
    try {
      await blocker.query('BEGIN')
      await blocker.query(statement, values)
      const result = await meanwhile()
      await blocker.query('COMMIT')
      return result
    } finally {
      await blocker.query('ROLLBACK')
      blocker.release()
    }
  }
  const untilWaiting = (count: number) =>
    expect.poll(async () => (await lockWaiters(scene.database.owner)).length, { timeout: 60_000 }).toBe(count)

  it('a conversion that met an approval under way waits for it, and is credited at once', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    // Not through the API: an approval that noted nothing to look back at, since nothing was there yet.
    const answer = await holding(
      `UPDATE affiliates SET status = 'approved' WHERE id = $1`,
      [affiliate.id],
      async () => {
        const reported = convert(scene.api, {
          campaign_id: campaign.id,
          customer_ref,
          token: affiliate.token,
        })
        await untilWaiting(1)
        return [reported]
      },
    )
    expect(await answer[0]).toMatchObject({ status: 201, body: { referral: { affiliate_id: affiliate.id } } })
  })

  it('an approval that met a conversion under way waits for it, and looks back at it', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    const [reported, approved] = await holding('LOCK TABLE pending_credits IN SHARE MODE', [], async () => {
      const body = { campaign_id: campaign.id, customer_ref, token: affiliate.token }
      // Alone in its transaction: one that shares a commit gives up its locks instead of waiting for long.
      const reported = scene.database.db.transaction(tx => reportConversion(tx, scene.account.id, body))
      await untilWaiting(1)
      const approved = approve(affiliate)
      await untilWaiting(2)
      return [reported, approved] as const
    })
    expect([(await reported).created, (await approved).status]).toEqual([false, 200])
    await run()
    expect(await referralsOf(customer_ref)).toHaveLength(1)
  })

  it('waits for a concurrent rejection, and does not credit a rejected affiliate', async () => {
    const { campaign, affiliate, customer_ref } = await ground()
    await unattributed({ campaign_id: campaign.id, customer_ref, token: affiliate.token })
    await approve(affiliate)
    const [ran] = await holding(
      `UPDATE affiliates SET status = 'rejected' WHERE id = $1`,
      [affiliate.id],
      async () => {
        const ran = run()
        await untilWaiting(1)
        return [ran]
      },
    )
    await ran
    expect(await referralsOf(customer_ref)).toEqual([])
  })
})

describe('a failure midway', () => {
  afterEach(() => scene.database.owner.query('DROP TRIGGER IF EXISTS broken ON commissions'))

  it('leaves nothing of its conversion, holds up no other, and is made good by the next run', async () => {
    const { campaign, affiliate } = await ground()
    const base = { campaign_id: campaign.id, token: affiliate.token }
    const [bad, good] = [unique('customer'), unique('customer')]
    const sale = newSale(66_600)
    await unattributed({ ...base, customer_ref: bad, sale })
    await unattributed({ ...base, customer_ref: good, sale: newSale() })
    await scene.database.owner.query(`
      CREATE OR REPLACE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.amount_minor = 13320 THEN RAISE 'broken'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER broken BEFORE INSERT ON commissions FOR EACH ROW EXECUTE FUNCTION broken()`)
    await approve(affiliate)
    await expect(run()).rejects.toThrow('Failed to credit 1 conversions.')
    expect([await referralsOf(bad), await waiting(affiliate), await notes(affiliate)]).toEqual([[], 1, 1])
    const [credited] = await referralsOf(good)
    expect(credited.affiliate_id).toBe(affiliate.id)
    expect(await countRows(scene, 'events', 'body LIKE $1', [`%${bad}%`])).toBe(0)
    await scene.database.owner.query('DROP TRIGGER broken ON commissions')
    await run()
    expect(await referralsOf(bad)).toHaveLength(1)
    expect([await waiting(affiliate), await notes(affiliate)]).toEqual([0, 0])
  })
})

it('two hundred are credited a piece at a time, and a run ends when its time is up', async () => {
  const { campaign, affiliate, customer_ref } = await ground()
  await unattributed({ campaign_id: campaign.id, customer_ref, token: affiliate.token })
  await scene.database.owner.query(
    `WITH made AS (
       INSERT INTO conversions (account_id, campaign_id, customer_ref, attribution, occurred_at)
       SELECT account_id, campaign_id, customer_ref || '-' || n, attribution, occurred_at
         FROM conversions, generate_series(1, 199) n WHERE customer_ref = $1 RETURNING *)
     INSERT INTO pending_credits (account_id, affiliate_id, conversion_id, attribution, place, is_test, review, credit_until)
     SELECT account_id, $2, id, attribution, 0, false, '{}', now() + interval '1 day' FROM made`,
    [customer_ref, affiliate.id],
  )
  const approved = await approve(affiliate)
  expect(approved.status).toBe(200)
  const credited = () => countRows(scene, 'referrals', 'affiliate_id = $1', [affiliate.id])
  expect(await credited()).toBe(0)
  await lookBack(scene.database.db, noEmails, 1)
  expect(await credited()).toBe(25)
  await run()
  expect([await credited(), await notes(affiliate)]).toEqual([200, 0])
})
