/** Protects accounts from each other (row 14): what another account owns, named in a report, is as if it did not exist. */
import { beforeAll, describe, expect, it } from 'vitest'
import { TestClient } from '../client.ts'
import { buildAccount, unique } from '../factories.ts'
import { type Scene, useScene } from '../harness.ts'
import { buildClick, convert, earnOne, openCampaign, refund, sell, type Won, winCustomer } from './scene.ts'

const scene = useScene()
let other: Scene
let theirs: Won
let theirSale: string
let theirClick: number
let mine: Won

beforeAll(async () => {
  const account = await buildAccount(scene.database)
  other = { ...scene, account, api: new TestClient(scene.app.url, account.key) }
  theirs = await winCustomer(other)
  theirSale = (await earnOne(other, theirs)).external_id
  theirClick = await buildClick(other, { campaignId: theirs.campaign.id, affiliateId: theirs.affiliate.id })
  mine = await winCustomer(scene)
})

const tables =
  'campaigns affiliates enrolments conversions referrals sales refunds commissions events clicks'.split(' ')
const snapshot = () =>
  Promise.all(
    tables.map(async table => {
      const text = `SELECT to_jsonb(t) AS row FROM ${table} t WHERE account_id = $1 ORDER BY 1`
      return (await scene.database.owner.query(text, [other.account.id])).rows
    }),
  )
const base = () => ({ campaign_id: mine.campaign.id, customer_ref: unique('c') })

it.each<
  [
    string,
    () => Promise<{ status: number; text: string }>,
    () => Promise<{ status: number; text: string }>,
    number,
  ]
>([
  [
    'campaign_id of a conversion',
    () => convert(scene.api, { ...base(), campaign_id: theirs.campaign.id }),
    () => convert(scene.api, { ...base(), campaign_id: 987_654_321 }),
    422,
  ],
  [
    'campaign_id of a sale',
    () =>
      sell(scene.api, {
        customer_ref: 'c',
        external_id: 'x',
        amount_minor: 1,
        currency: 'USD',
        campaign_id: theirs.campaign.id,
      }),
    () =>
      sell(scene.api, {
        customer_ref: 'c',
        external_id: 'x',
        amount_minor: 1,
        currency: 'USD',
        campaign_id: 987_654_321,
      }),
    422,
  ],
  [
    'sale_external_id',
    () => refund(scene.api, { external_id: 'r', sale_external_id: theirSale }),
    () => refund(scene.api, { external_id: 'r', sale_external_id: 'no such sale' }),
    422,
  ],
])('%s of another account is one that does not exist', async (_what, foreign, unknown, status) => {
  const before = await snapshot()
  const [answer, nothing] = [await foreign(), await unknown()]
  expect([answer.status, answer.text]).toEqual([status, nothing.text])
  expect(await snapshot()).toEqual(before)
})

describe('evidence of another account credits no one, and reveals no more than unknown evidence', () => {
  it.each<[string, () => object, () => object]>([
    [
      'token',
      () => ({ token: theirs.affiliate.token }),
      () => ({ token: 'x'.repeat(theirs.affiliate.token.length) }),
    ],
    [
      'coupon_code',
      () => ({ coupon_code: theirs.affiliate.coupon_code }),
      () => ({ coupon_code: 'y'.repeat(theirs.affiliate.coupon_code.length) }),
    ],
    ['click_id', () => ({ click_id: theirClick }), () => ({ click_id: 987_654_321 })],
  ])('%s', async (_what, foreign, unknown) => {
    const before = await snapshot()
    const given = foreign()
    const [answer, nothing] = [
      await convert(scene.api, { ...base(), ...given }),
      await convert(scene.api, { ...base(), ...unknown() }),
    ]
    expect([answer.status, answer.body.referral, answer.body.attribution.affiliate_id]).toEqual([
      200,
      null,
      null,
    ])
    // The same words, but for the value that the caller named. A click's number may occur in others.
    const words = (text: string, value: string | number) =>
      text.replaceAll(typeof value === 'number' ? `"click_id":${value},` : value, '…')
    expect(words(answer.text, Object.values(given)[0] as string | number)).toBe(
      words(nothing.text, Object.values(unknown())[0] as string | number),
    )
    expect(answer.text).not.toContain(theirs.affiliate.email)
    expect(await snapshot()).toEqual(before)
  })
})

it('a customer, a sale and a refund of the same names are the caller’s own', async () => {
  const before = await snapshot()
  const sale = {
    customer_ref: theirs.customer_ref,
    external_id: theirSale,
    amount_minor: 777,
    currency: 'EUR',
  }
  const sold = await sell(scene.api, sale)
  expect([sold.status, sold.body]).toEqual([200, { referral: null, commissions: [], waiting_for: null }])
  const back = await refund(scene.api, { external_id: unique('r'), sale_external_id: theirSale })
  expect([back.status, back.body]).toEqual([201, { commissions: [] }])
  const won = await convert(scene.api, {
    ...base(),
    customer_ref: theirs.customer_ref,
    token: mine.affiliate.token,
  })
  expect([won.status, won.body.referral.affiliate_id]).toEqual([201, mine.affiliate.id])
  expect(await snapshot()).toEqual(before)
})

it.each(['conversions', 'sales', 'refunds'])('%s cannot be reported without a key', async path => {
  const campaign = await openCampaign(scene.database, scene.account.id)
  const body = { campaign_id: campaign.id, customer_ref: 'c', external_id: 'x', sale_external_id: theirSale }
  for (const key of [undefined, 'trib_wrong']) {
    const answer = await new TestClient(scene.app.url, key).post(`/ingest/v1/${path}`, body)
    expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthorized'])
  }
})
