/** Protects reports that share a commit: each earns what it would alone, and one that is refused costs the others nothing. */
import { expect, it } from 'vitest'
import { unique } from '../factories.ts'
import { useSoundScene } from '../harness.ts'
import {
  approvedAffiliate,
  convert,
  countRows,
  earn,
  openCampaign,
  percent,
  sell,
  winCustomer,
} from './scene.ts'

const CUSTOMERS = 12
const scene = useSoundScene()

const saleOf = (customer_ref: string, amount_minor: number) => ({
  ...{ customer_ref, external_id: unique('sale'), amount_minor, currency: 'USD' },
})

it('sales of many customers, of which one names an unknown campaign and one a taken ID', async () => {
  const first = await winCustomer(scene)
  const { campaign, affiliate } = first
  const taken = await earn(scene, first, 100)
  const customers = Array.from({ length: CUSTOMERS }, () => unique('customer'))
  for (const customer_ref of customers)
    await convert(scene.api, { campaign_id: campaign.id, customer_ref, token: affiliate.token })

  const reports = customers.map((customer, index) => saleOf(customer, (index + 1) * 1000))
  const wrong = [
    { ...saleOf(unique('unknown'), 100), campaign_id: 999_999_999 },
    { ...saleOf(unique('stranger'), 100), external_id: taken.external_id },
  ]
  const [unknown, conflicting, ...answers] = await Promise.all(
    [...wrong, ...reports].map(report => sell(scene.api, report)),
  )
  expect([unknown?.status, unknown?.body.error.code]).toEqual([422, 'validation_failed'])
  expect([conflicting?.status, conflicting?.body.error.code]).toEqual([409, 'conflict'])
  for (const [index, { status, body }] of answers.entries()) {
    expect(status).toBe(201)
    expect(body.referral.customer_ref).toBe(customers[index])
    expect(body.commissions).toMatchObject([
      { payout_amount_minor: (index + 1) * 200, description: `Sale ${reports[index]?.external_id}` },
    ])
    const { id } = body.commissions[0]
    expect(await countRows(scene, 'events', `kind = 'commission.created' AND subject_id = $1`, [id])).toBe(1)
  }
  expect(await countRows(scene, 'sales', 'external_id = $1', [wrong[0]?.external_id])).toBe(0)
})

it('conversions with their sales, and each customer’s first sale only', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id, {
    rewards: [percent(1000, { recurringMonths: 0 })],
  })
  const { token, id: affiliate_id } = await approvedAffiliate(scene, campaign.id)
  const customers = Array.from({ length: CUSTOMERS }, () => unique('customer'))
  const answers = await Promise.all(
    customers.flatMap(customer_ref => {
      const { customer_ref: _, ...sale } = saleOf(customer_ref, 5000)
      const body = { campaign_id: campaign.id, customer_ref, token, sale }
      return [
        convert(scene.api, body),
        convert(scene.api, {
          ...body,
          customer_ref: unique('other'),
          token: 'none',
          sale: { ...sale, external_id: unique('sale') },
        }),
      ]
    }),
  )
  for (const [index, { status, body }] of answers.entries()) {
    if (index % 2 === 1) {
      expect([status, body.referral, body.commissions]).toEqual([200, null, []])
      continue
    }
    expect([status, body.referral.affiliate_id]).toEqual([201, affiliate_id])
    expect(body.commissions).toMatchObject([{ payout_amount_minor: 500 }])
  }
  const again = await Promise.all(customers.map(customer => sell(scene.api, saleOf(customer, 5000))))
  expect(again.map(({ status, body }) => [status, body.commissions])).toEqual(customers.map(() => [201, []]))
})

it('reports with idempotency keys: each response is stored with its sale, a conflict alone, and a key counts once', async () => {
  const first = await winCustomer(scene)
  const taken = await earn(scene, first, 100)
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
  const reports = Array.from({ length: CUSTOMERS }, () => ({
    key: unique('key'),
    sale: saleOf(unique('customer'), 1000),
  }))
  const conflicting = {
    key: unique('key'),
    sale: { ...saleOf(unique('customer'), 1000), external_id: taken.external_id },
  }
  const [common, sales] = [
    unique('key'),
    [saleOf(unique('customer'), 1000), saleOf(unique('customer'), 1000)],
  ]
  const all = [...reports, conflicting, ...sales.map(sale => ({ key: common, sale }))]
  const answers = await Promise.all(all.map(({ key, sale }) => sell(scene.api, sale, keyed(key))))
  expect(answers.slice(0, CUSTOMERS).map(({ status }) => status)).toEqual(reports.map(() => 200))
  expect(answers[CUSTOMERS]?.status).toBe(409)
  expect(
    answers
      .slice(CUSTOMERS + 1)
      .map(({ status }) => status)
      .toSorted(),
  ).toEqual([200, 409])
  expect(
    await countRows(scene, 'sales', 'external_id = ANY ($1)', [sales.map(({ external_id }) => external_id)]),
  ).toBe(1)
  for (const [index, { key, sale }] of [...reports, conflicting].entries()) {
    const again = await sell(scene.api, sale, keyed(key))
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.text).toBe(answers[index]?.text)
  }
})
