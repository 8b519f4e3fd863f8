/** Protects customers and other affiliates: what is shown of them, in every list and file, is what the company allows and no more. */
import type { PortalSettings } from '@tributary/contract/dashboard'
import { beforeEach, describe, expect, it } from 'vitest'
import { shownCustomer } from '../../src/portal/shown-customer.ts'
import { changePortal } from '../../src/programme/portal-settings/change-portal.ts'
import { TestClient } from '../client.ts'
import { buildAccount, unique } from '../factories.ts'
import { type Scene, useScene } from '../harness.ts'
import {
  approvedAffiliate,
  buildClick,
  convert,
  openCampaign,
  percent,
  refund,
  sell,
} from '../ledger/scene.ts'
import { create, markFailed, markPaid, owe } from '../payouts/ground.ts'
import { PortalBrowser } from './affiliate.ts'

const base = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
/** An account for each test: how customers are shown is a setting of it. */
let scene: Scene
beforeEach(async () => {
  const account = await buildAccount(base.database)
  scene = { ...base, account, api: new TestClient(base.app.url, account.key) }
})
const showing = (customers_shown: PortalSettings['customers_shown']) =>
  changePortal(scene.database.db, scene.account.id, scene.app.services.baseUrl, { customers_shown })

async function programme(terms = {}) {
  const campaign = await openCampaign(scene.database, scene.account.id, terms)
  const affiliate = await approvedAffiliate(scene, campaign.id, { paypal_email: 'jane@pay.example' })
  return { campaign, affiliate, jane: await PortalBrowser.signIn(scene, affiliate.id) }
}

describe('a customer', () => {
  it.each<[ref: string | null, masked: string | null]>([
    ['jane.doe@example.com', 'j•••@e•••'],
    ['cus_4711abc', 'cu•••bc'],
    ['123456', '•••'],
    ['a', '•••'],
    ['@', '•••@•••'],
    ['a@b@c', 'a•••@b•••'],
    ['😀😀😀😀😀😀😀', '😀😀•••😀😀'],
    ['😀@😀.example', '😀•••@😀•••'],
    [null, null],
  ])('%s is masked as %s', (ref, masked) => {
    expect(shownCustomer(ref, 'masked')).toBe(masked)
    expect(shownCustomer(ref, 'masked')?.isWellFormed() ?? true).toBe(true)
    expect(shownCustomer(ref, 'hidden')).toBeNull()
    expect(shownCustomer(ref, 'full')).toBe(ref)
  })

  it('is shown as the company says in every list and file, with whatever names the sale', async () => {
    const { campaign, affiliate, jane } = await programme()
    const customer_ref = 'maria.curie@sorbonne.example'
    const external_id = `Order of ${customer_ref}`
    await convert(scene.api, { campaign_id: campaign.id, customer_ref, token: affiliate.token })
    await sell(scene.api, { customer_ref, external_id, amount_minor: 10_000, currency: 'USD' })
    await refund(scene.api, {
      external_id: `Refund for ${customer_ref}`,
      sale_external_id: external_id,
      amount_minor: 1000,
    })
    await owe(scene, campaign, affiliate, 500)
    const { data } = await jane.ask('listReferrals')
    const read = async () => {
      const answers = [
        await jane.call('listReferrals'),
        await jane.call('getReferral', { id: data[0].id }),
        await jane.call('listCommissions'),
        await jane.call('downloadStatement'),
      ]
      return answers.map(({ text }) => text)
    }
    for (const text of await read()) {
      expect(text).toContain('m•••@s•••')
      expect(text).not.toMatch(/maria|sorbonne|Order of/i)
    }
    // What the company wrote to the affiliate is theirs to read.
    expect((await read()).at(-1)).toContain('Owed')
    await showing('hidden')
    for (const text of await read()) expect(text).not.toMatch(/maria|sorbonne|Order of|m•••/i)
    await showing('full')
    for (const text of await read()) expect(text).toContain(customer_ref)
  })
})

describe('the explanation', () => {
  it('shows the affiliate’s own evidence in full, and of others only that there was some', async () => {
    const { campaign, affiliate, jane } = await programme({ attribution_model: 'first_click' })
    const other = await approvedAffiliate(scene, campaign.id)
    const visitorId = '11111111-2222-4333-8444-555555555555'
    await buildClick(scene, {
      campaignId: campaign.id,
      affiliateId: affiliate.id,
      ago: '3 days',
      visitorId,
    })
    const theirs = await buildClick(scene, {
      campaignId: campaign.id,
      affiliateId: other.id,
      ago: '1 day',
      visitorId,
    })
    const { body } = await convert(scene.api, {
      campaign_id: campaign.id,
      customer_ref: unique('customer'),
      click_id: theirs,
      token: other.token,
    })
    expect(body.attribution.candidates).toHaveLength(3)
    const { text, body: shown } = await jane.call('getReferral', { id: body.referral.id })
    expect(shown).toMatchObject({ model: 'first_click', window_days: 30, status: 'approved' })
    expect(shown.candidates).toEqual([
      {
        source: 'click',
        is_mine: true,
        clicked_at: expect.any(String),
        outcome: 'won',
        why: { code: 'inside_window', age_ms: expect.any(Number), window_days: 30 },
        reason: null,
      },
      { source: 'click', is_mine: false, clicked_at: expect.any(String), outcome: 'lost', reason: null },
      { source: 'token', is_mine: false, clicked_at: null, outcome: 'lost', reason: null },
    ])
    for (const secret of [other.token, other.coupon_code, other.email]) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/affiliate_id|click_id|visitor/)
    const rival = await PortalBrowser.signIn(scene, other.id)
    expect((await rival.call('getReferral', { id: body.referral.id })).status).toBe(404)
    expect((await rival.ask('listReferrals')).data).toEqual([])
  })

  it('does not name the click of another that beat theirs', async () => {
    const { campaign, affiliate, jane } = await programme({ attribution_model: 'last_click' })
    const other = await approvedAffiliate(scene, campaign.id)
    const clicks = { campaignId: campaign.id, visitorId: '21111111-2222-4333-8444-555555555555' }
    await buildClick(scene, { ...clicks, affiliateId: affiliate.id, ago: '2 days' })
    await buildClick(scene, { ...clicks, affiliateId: other.id, ago: '1 day' })
    const last = await buildClick(scene, { ...clicks, affiliateId: affiliate.id, ago: '1 hour' })
    const { body } = await convert(scene.api, {
      campaign_id: campaign.id,
      customer_ref: unique('customer'),
      click_id: last,
    })
    const { text, body: shown } = await jane.call('getReferral', { id: body.referral.id })
    expect(shown.candidates).toMatchObject([
      { is_mine: true, outcome: 'won', why: { code: 'inside_window' } },
      { is_mine: false, outcome: 'lost' },
      { is_mine: true, outcome: 'lost', why: { beaten_by: { source: 'click', order: 'later' } } },
    ])
    expect(text).not.toMatch(/click_id/)
  })

  it('keeps the sentence of a decision from before there were codes', async () => {
    const { campaign, affiliate, jane } = await programme()
    const { body } = await convert(scene.api, {
      campaign_id: campaign.id,
      customer_ref: unique('customer'),
      token: affiliate.token,
    })
    await scene.database.owner.query(
      `UPDATE conversions SET attribution = (attribution - 'why')
         || jsonb_build_object('candidates', jsonb_build_array((attribution #> '{candidates,0}') - 'why' || '{"reason": "named by the old rule"}'))
        WHERE account_id = $1 AND referral_id = $2`,
      [scene.account.id, body.referral.id],
    )
    const shown = await jane.ask('getReferral', { id: body.referral.id })
    expect(shown.candidates).toEqual([
      { source: 'token', is_mine: true, clicked_at: null, outcome: 'won', reason: 'named by the old rule' },
    ])
  })

  it('does not name another’s code that was tried', async () => {
    const { campaign, affiliate, jane } = await programme()
    const elsewhere = await openCampaign(scene.database, scene.account.id)
    const other = await approvedAffiliate(scene, elsewhere.id)
    const { body } = await convert(scene.api, {
      campaign_id: campaign.id,
      customer_ref: unique('customer'),
      coupon_code: other.coupon_code,
      token: affiliate.token,
    })
    const { text, body: shown } = await jane.call('getReferral', { id: body.referral.id })
    expect(shown.candidates.map((each: { outcome: string }) => each.outcome)).toEqual(['dropped', 'won'])
    expect(text).not.toContain(other.coupon_code)
  })

  it('lists what the referral earned', async () => {
    const { campaign, affiliate, jane } = await programme({ rewards: [percent(1000)], hold_days: 9 })
    const customer_ref = unique('customer')
    const { body } = await convert(scene.api, {
      campaign_id: campaign.id,
      customer_ref,
      token: affiliate.token,
      sale: { external_id: unique('sale'), amount_minor: 5000, currency: 'USD' },
    })
    const shown = await jane.ask('getReferral', { id: body.referral.id })
    expect(shown.commissions).toMatchObject([{ amount_minor: 500, status: 'pending', in_review: false }])
    expect(shown.earned).toEqual([{ currency: 'USD', status: 'pending', amount_minor: 500 }])
  })
})

describe('pages', () => {
  it('of every list hold each row once, in either order, whatever is added meanwhile', async () => {
    const { campaign, affiliate, jane } = await programme()
    for (let round = 0; round < 7; round += 1) {
      await convert(scene.api, {
        campaign_id: campaign.id,
        customer_ref: unique('customer'),
        token: affiliate.token,
        sale: { external_id: unique('sale'), amount_minor: 5000, currency: 'USD' },
      })
      await markPaid(scene, (await create(scene, campaign)).id)
    }
    for (const [route, count] of [
      ['listReferrals', 7],
      ['listCommissions', 14],
      ['listPayouts', 7],
    ] as const)
      for (const order of ['newest', 'oldest'] as const) {
        const ids: number[] = []
        let after: number | null = 0
        while (after !== null) {
          const query: Record<string, unknown> = { limit: 3, order, ...(after > 0 && { after }) }
          const page = await jane.ask(route, { query })
          expect(page.data.length).toBeLessThanOrEqual(3)
          ids.push(...page.data.map(({ id }: { id: number }) => id))
          after = page.next
        }
        expect(ids).toHaveLength(count)
        const sorted = [...new Set(ids)].toSorted((a, b) => (order === 'oldest' ? a - b : b - a))
        expect(ids).toEqual(sorted)
      }
    const paid = await jane.ask('listCommissions', { query: { status: 'paid', campaign_id: campaign.id } })
    expect(paid.data).toHaveLength(14)
  })
})

it('payouts show where the money went, and why it did not', async () => {
  const { campaign, affiliate, jane } = await programme({ name: 'Spring' })
  await owe(scene, campaign, affiliate, 5000)
  await markFailed(scene, (await create(scene, campaign)).id, undefined, 'Account closed')
  await markPaid(scene, (await create(scene, campaign)).id)
  const { data } = await jane.ask('listPayouts')
  const common = { campaign_name: 'Spring', amount_minor: 5000, currency: 'USD', rail: 'manual' }
  expect(data).toMatchObject([
    { ...common, status: 'paid', reason: null, settled_at: expect.any(String) },
    { ...common, status: 'failed', reason: 'Account closed', settled_at: expect.any(String) },
  ])
})
