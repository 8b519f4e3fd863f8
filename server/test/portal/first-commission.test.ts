/** An affiliate gets an email about the first commission, never about a test, and only once. */
import type { Campaign } from '@tributary/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { reportSale } from '../../src/earning/sales/report-sale.ts'
import { DAY_MS } from '../../src/kit/timestamp.ts'
import { updateAccount } from '../../src/programme/accounts/update-account.ts'
import { TestClient } from '../client.ts'
import { buildAccount, unique } from '../factories.ts'
import { type Scene, useScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { approvedAffiliate, convert, flat, openCampaign, percent, refund, sell } from '../ledger/scene.ts'
import { earnFor, owe } from '../payouts/ground.ts'
import { emails, noted, write } from './emails.ts'

const base = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
/** An account for each test. */
let scene: Scene
let campaign: Campaign
beforeEach(async () => {
  const account = await buildAccount(base.database)
  scene = { ...base, account, api: new TestClient(base.app.url, account.key) }
  campaign = await openCampaign(base.database, account.id, {
    hold_days: 30,
    visibility: 'public',
    open_enrollment: true,
  })
})
const emailed = async () => (await emails(scene)).map(({ kind, to_address }) => [kind, to_address])

describe('the first commission', () => {
  const first = () => approvedAffiliate(scene, campaign.id)

  it('is emailed with its amount and clearing date; the second is not', async () => {
    const affiliate = await first()
    await earnFor(scene, campaign, affiliate, 10_000)
    expect([await noted(scene), await emails(scene)]).toEqual([['first_commission'], []])
    await earnFor(scene, campaign, affiliate, 20_000)
    await write(scene)
    await earnFor(scene, campaign, affiliate, 30_000)
    await write(scene)
    const [mail, ...others] = await emails(scene)
    expect([mail?.kind, mail?.to_address, others]).toEqual(['first_commission', affiliate.email, []])
    expect(mail?.text_body).toMatch(/20\.00 USD[\s\S]*clears on \w+ \d+, \d{4}\./)
  })

  it('clears on a day in the time zone of the account', async () => {
    // An hour before midnight in UTC, and the next day in Kiritimati.
    const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
    const occurred_at = `${yesterday}T23:00:00.000Z`
    const clearsAt = new Date(Date.parse(occurred_at) + 30 * DAY_MS)
    const days = new Set<string>()
    for (const time_zone of ['UTC', 'Pacific/Kiritimati']) {
      await updateAccount(scene.database.db, scene.account.id, { time_zone })
      const { token, email } = await first()
      const customer_ref = unique('customer')
      await convert(scene.api, { campaign_id: campaign.id, customer_ref, token, occurred_at })
      const sale = { external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' }
      expect((await sell(scene.api, { customer_ref, ...sale, occurred_at })).status).toBe(201)
      await write(scene)
      const day = clearsAt.toLocaleDateString('en', { dateStyle: 'medium', timeZone: time_zone })
      days.add(day)
      expect((await emails(scene, email)).map(({ text_body }) => text_body)).toEqual([
        expect.stringContaining(`clears on ${day}.`),
      ])
    }
    expect(days.size).toBe(2)
  })

  it('is emailed once if two are concurrent, whichever commits first', async () => {
    const affiliate = await first()
    const customers = [unique('customer'), unique('customer')]
    for (const customer_ref of customers)
      await convert(scene.api, { campaign_id: campaign.id, customer_ref, token: affiliate.token })
    const sale = (customer_ref: string | undefined) => ({
      customer_ref: customer_ref as string,
      external_id: unique('sale'),
      amount_minor: 10_000,
      currency: 'USD',
    })
    // The transaction of the first is still open while the email about the other is rendered.
    await scene.database.db.transaction(async tx => {
      await reportSale(tx, scene.account.id, sale(customers[0]))
      expect((await sell(scene.api, sale(customers[1]))).status).toBe(201)
      await write(scene)
      expect((await emailed()).map(([kind]) => kind)).toEqual(['first_commission'])
    })
    await write(scene)
    expect(await emailed()).toEqual([['first_commission', affiliate.email]])
    expect(await noted(scene)).toEqual([])
  })

  it('is emailed if the one that was begun first waits, and commits after the email was noted', async () => {
    const affiliate = await first()
    const { database } = scene
    const customers = [unique('customer'), unique('customer')] as const
    for (const customer_ref of customers)
      await convert(scene.api, { campaign_id: campaign.id, customer_ref, token: affiliate.token })
    const sale = { external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' }
    await whileHeld(
      database,
      tx =>
        tx.many(
          sql`SELECT FROM referrals r WHERE r.account_id = ${scene.account.id} AND r.customer_ref = ${customers[0]} FOR UPDATE`,
        ),
      () =>
        database.db.transaction(tx =>
          reportSale(tx, scene.account.id, { ...sale, customer_ref: customers[0] }),
        ),
      () => sell(scene.api, { ...sale, external_id: unique('sale'), customer_ref: customers[1] }),
    )
    await write(scene)
    expect(await emailed()).toEqual([['first_commission', affiliate.email]])
  })

  it('is no test, and a test before it does not hide it', async () => {
    const affiliate = await first()
    await earnFor(scene, campaign, affiliate, 10_000, { is_test: true })
    await write(scene)
    expect(await emailed()).toEqual([])
    await earnFor(scene, campaign, affiliate, 10_000)
    await write(scene)
    expect(await emailed()).toEqual([['first_commission', affiliate.email]])
  })

  it('is the affiliate’s own: what the friend gets neither counts nor hides it', async () => {
    campaign = await openCampaign(scene.database, scene.account.id, {
      program_type: 'referral',
      rewards: [flat(500, 'USD', { beneficiary: 'referee' }), percent(1000, { beneficiary: 'referrer' })],
    })
    const affiliate = await first()
    await earnFor(scene, campaign, affiliate, 10_000)
    await write(scene)
    const [mail, ...others] = await emails(scene)
    expect([mail?.kind, mail?.to_address, others]).toEqual(['first_commission', affiliate.email, []])
    expect(mail?.text_body).toContain('10.00 USD')
  })

  it('is not emailed once it is void', async () => {
    const affiliate = await first()
    const { external_id } = await earnFor(scene, campaign, affiliate, 10_000)
    await refund(scene.api, { external_id: unique('refund'), sale_external_id: external_id })
    await write(scene)
    expect(await emailed()).toEqual([])
  })

  it('is not a manual adjustment', async () => {
    const affiliate = await first()
    await owe(scene, campaign, affiliate, 1000)
    expect(await noted(scene)).toEqual([])
    await earnFor(scene, campaign, affiliate, 10_000)
    expect(await noted(scene)).toEqual(['first_commission'])
  })
})
