/** Protects the shapes of what is only read: every field of campaigns, referrals, commissions and payouts, as it was stored. */
import { expect, it } from 'vitest'
import { buildAffiliate, buildCampaign, buildCommission, buildPayout, buildReferral } from '../factories.ts'
import { useScene } from '../harness.ts'

const scene = useScene()
const timestamp = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

/** An object is the same whether it is fetched by its id or met in a list. */
async function expectEverywhere(noun: string, expected: { id: number }): Promise<void> {
  const { status, body } = await scene.api.get(`/${noun}/${expected.id}`)
  expect([status, body]).toEqual([200, expected])
  const list = await scene.api.get(`/${noun}?limit=1&starting_after=${expected.id + 1}`)
  expect([list.status, list.body.data]).toEqual([200, [body]])
}

it('shows a campaign', async () => {
  const terms = {
    name: 'Größe',
    slug: 'groesse',
    program_type: 'referral' as const,
    visibility: 'public' as const,
    payout_currency: 'JPY',
    attribution_model: 'first_click' as const,
    attribution_window_days: 3650,
    hold_days: 0,
    minimum_payout_minor: 1_000_000_000_000,
    open_enrollment: true,
    destination_url: 'https://shop.example/?a=b',
  }
  const { id } = await buildCampaign(scene.database, scene.account.id, terms)
  await expectEverywhere('campaigns', { id, ...terms, created_at: timestamp } as never)
})

it('shows a campaign without a destination', async () => {
  const { id } = await buildCampaign(scene.database, scene.account.id)
  expect((await scene.api.get(`/campaigns/${id}`)).body.destination_url).toBeNull()
})

const { account_id: _, ...nowhere } = { account_id: 0, campaign_id: 0, affiliate_id: 0 }
const placeOf = (): typeof nowhere => ({
  campaign_id: scene.place.campaign_id,
  affiliate_id: scene.place.affiliate_id,
})

it.each([
  { status: 'pending_review', subscription_ref: 'sub-1', is_test: true },
  { status: 'approved', subscription_ref: null, is_test: false },
  { status: 'rejected', subscription_ref: '', is_test: false },
] as const)('shows a referral that is $status', async fields => {
  const said = { ...fields, customer_ref: `客 ${fields.status}`, occurred_at: '2024-02-29T23:59:59.999Z' }
  const id = await buildReferral(scene.database, scene.place, said)
  await expectEverywhere('referrals', { id, ...placeOf(), ...said, created_at: timestamp } as never)
})

it.each([
  { entry_type: 'earned', status: 'pending', amount_minor: 1, hold_until: '2026-03-01T00:00:00.000Z' },
  { entry_type: 'clawback', status: 'approved', amount_minor: -1, beneficiary: 'referrer' },
  { entry_type: 'adjustment', status: 'void', amount_minor: -Number.MAX_SAFE_INTEGER },
  { entry_type: 'payout', status: 'paid', amount_minor: -500, description: 'Batch 7' },
  { entry_type: 'credit', status: 'paid', amount_minor: Number.MAX_SAFE_INTEGER, beneficiary: 'referee' },
] as const)('shows a commission that is $entry_type and $status', async fields => {
  const referral_id = await buildReferral(scene.database, scene.place)
  const id = await buildCommission(scene.database, scene.place, { ...fields, referral_id })
  await expectEverywhere('commissions', {
    id,
    ...placeOf(),
    referral_id,
    beneficiary: 'affiliate',
    currency: 'USD',
    payout_amount_minor: fields.amount_minor,
    payout_currency: 'USD',
    hold_until: null,
    description: null,
    created_at: timestamp,
    ...fields,
  } as never)
})

it('shows a commission in two currencies and without a referral', async () => {
  const money = {
    amount_minor: 10_000,
    currency: 'EUR',
    payout_amount_minor: 1_873_000,
    payout_currency: 'JPY',
  }
  const id = await buildCommission(scene.database, scene.place, money)
  expect((await scene.api.get(`/commissions/${id}`)).body).toMatchObject({ ...money, referral_id: null })
})

it.each(['pending', 'processing', 'paid', 'partially_paid', 'failed', 'canceled'] as const)(
  'shows a payout that is %s with its items, first item first',
  async status => {
    const itemStatus = status === 'partially_paid' ? ('paid' as const) : status
    const second = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
    const id = await buildPayout(scene.database, scene.place, {
      status,
      rail: 'paypal',
      currency: 'EUR',
      total_minor: 7001,
      item: { currency: 'EUR', amount_minor: 7000, status: itemStatus },
    })
    await scene.database.owner.query(
      `INSERT INTO payout_items (account_id, payout_id, affiliate_id, amount_minor, currency, status)
       VALUES ($1, $2, $3, 1, 'EUR', 'failed')`,
      [scene.account.id, id, second.id],
    )
    const item = { id: expect.any(Number), currency: 'EUR' }
    await expectEverywhere('payouts', {
      id,
      campaign_id: scene.place.campaign_id,
      rail: 'paypal',
      status,
      currency: 'EUR',
      total_minor: 7001,
      created_at: timestamp,
      items: [
        { ...item, affiliate_id: scene.place.affiliate_id, amount_minor: 7000, status: itemStatus },
        { ...item, affiliate_id: second.id, amount_minor: 1, status: 'failed' },
      ],
    } as never)
  },
)
