/** The response to a sale: its referral, what it earned, and whether it is waiting for an exchange rate. */
import { describe, expect, it } from 'vitest'
import { earnSalesAwaitingRate } from '../../src/earning/sales/earn-sales-awaiting-rate.ts'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import {
  approvedAffiliate,
  convert,
  countRows,
  entriesOf,
  openCampaign,
  sell,
  useRate,
  type Won,
  winCustomer,
} from './scene.ts'

const scene = useOwnScene()
const newSale = (overrides: object = {}) => ({
  external_id: unique('sale'),
  amount_minor: 10_000,
  currency: 'USD',
  ...overrides,
})
const ofCustomer = ({ campaign, customer_ref }: Won) => ({ campaign_id: campaign.id, customer_ref })
const amounts = ({ body }: { body: { commissions: { amount_minor: number }[] } }) =>
  body.commissions.map(entry => entry.amount_minor)

describe('waiting_for', () => {
  it('is fx_rate with 201 and no commissions, until the rate arrives', async () => {
    const won = await winCustomer(scene)
    const body = { customer_ref: won.customer_ref, ...newSale({ currency: 'ISK' }) }
    const first = await sell(scene.api, body)
    expect([first.status, first.body]).toMatchObject([
      201,
      { referral: { id: won.referralId }, commissions: [], waiting_for: 'fx_rate' },
    ])
    expect((await sell(scene.api, body)).body).toEqual(first.body)
    await useRate(scene, 'ISK', 'USD', '1')
    await earnSalesAwaitingRate(scene.database.db)
    const later = await sell(scene.api, body)
    expect([later.status, later.body.waiting_for, later.body.commissions.length]).toEqual([200, null, 1])
  })

  it('is null for a sale that earned, that earns nothing, and whose customer was not referred', async () => {
    const won = await winCustomer(scene)
    for (const sale of [newSale(), newSale({ amount_minor: 0 })])
      expect((await sell(scene.api, { customer_ref: won.customer_ref, ...sale })).body.waiting_for).toBeNull()
    // Nothing to convert if nothing is earned, whatever the currency.
    const unattributed = await sell(scene.api, {
      customer_ref: unique('unknown'),
      ...newSale({ currency: 'XPF' }),
    })
    expect([unattributed.status, unattributed.body]).toEqual([
      200,
      { referral: null, commissions: [], waiting_for: null },
    ])
  })

  it('describes the sale reported with a conversion, even when it is reported again without it', async () => {
    const campaign = await openCampaign(scene.database, scene.account.id)
    const { token } = await approvedAffiliate(scene, campaign.id)
    const base = { campaign_id: campaign.id, customer_ref: unique('customer'), token }
    const first = await convert(scene.api, { ...base, sale: newSale({ currency: 'BWP' }) })
    expect([first.status, first.body]).toMatchObject([201, { commissions: [], waiting_for: 'fx_rate' }])
    expect((await convert(scene.api, base)).body).toEqual(first.body)
    const plain = await convert(scene.api, { ...base, customer_ref: unique('customer') })
    expect([plain.status, plain.body.waiting_for]).toEqual([201, null])
  })
})

describe('a known customer with a new sale on /conversions', () => {
  it('records it and answers with the referral and that sale’s commissions', async () => {
    const won = await winCustomer(scene)
    const first = await convert(scene.api, { ...ofCustomer(won), sale: newSale() })
    expect([first.status, amounts(first)]).toEqual([200, [2000]])
    const sale = newSale({ amount_minor: 500 })
    const second = await convert(scene.api, { ...ofCustomer(won), sale })
    expect([second.status, second.body.referral.id, amounts(second)]).toEqual([200, won.referralId, [100]])
    expect((await entriesOf(scene, won.referralId)).map(entry => entry.amount_minor)).toEqual([2000, 100])
    // The same again gives the same; without a sale it is the first sale's answer.
    expect((await convert(scene.api, { ...ofCustomer(won), sale })).body).toEqual(second.body)
    expect((await convert(scene.api, ofCustomer(won))).body).toEqual(first.body)
  })

  it('refuses a sale that contradicts the first report of it', async () => {
    const won = await winCustomer(scene)
    const sale = newSale()
    await convert(scene.api, { ...ofCustomer(won), sale })
    for (const other of [{ amount_minor: 1 }, { currency: 'EUR' }]) {
      const { status, body } = await convert(scene.api, { ...ofCustomer(won), sale: { ...sale, ...other } })
      expect([status, body.error.code]).toEqual([409, 'conflict'])
    }
    const stranger = {
      ...ofCustomer(won),
      customer_ref: unique('stranger'),
      token: won.affiliate.token,
      sale,
    }
    expect((await convert(scene.api, stranger)).status).toBe(409)
    // The refusal is of the whole report: the stranger was not won either.
    expect(await countRows(scene, 'referrals', 'customer_ref = $1', [stranger.customer_ref])).toBe(0)
  })

  it('thirty at once record the sale once', async () => {
    const won = await winCustomer(scene)
    const sale = newSale()
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => convert(scene.api, { ...ofCustomer(won), sale })),
    )
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await entriesOf(scene, won.referralId)).toHaveLength(1)
  })

  it('never answers with what the sale earned in another campaign', async () => {
    const won = await winCustomer(scene)
    const sale = newSale()
    expect(amounts(await convert(scene.api, { ...ofCustomer(won), sale }))).toEqual([2000])
    const other = await openCampaign(scene.database, scene.account.id)
    const rival = await approvedAffiliate(scene, other.id)
    const body = { campaign_id: other.id, customer_ref: won.customer_ref, token: rival.token, sale }
    const second = await convert(scene.api, body)
    expect([second.status, second.body.referral.affiliate_id, amounts(second)]).toEqual([201, rival.id, []])
    expect((await convert(scene.api, body)).body).toEqual(second.body)
  })
})
