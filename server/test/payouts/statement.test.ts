/** Protects against disputes: a statement of any day shows every entry until then, and the balance after each. */
import { expect, it } from 'vitest'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { csvStatement } from '../../src/money/statements/csv-statement.ts'
import { unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { openCampaign, refund } from '../ledger/scene.ts'
import { create, earnFor, markPaid, owe, owed, untilAfter } from './ground.ts'

const scene = useScene()

/** The file, a row for each line; no cell of these tests holds a comma. */
async function statement(affiliateId: number, asOf?: string): Promise<string[][]> {
  let file = ''
  await csvStatement(scene.database.db, scene.account.id, affiliateId, asOf, text => {
    file += text
  })
  expect(file.endsWith('\r\n')).toBe(true)
  return file
    .split('\r\n')
    .slice(0, -1)
    .map(line => line.split(','))
}

it('shows sales, refunds and payouts as they came, and ends with nothing owed', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id, { name: 'Partners' })
  const affiliate = await owed(scene, campaign, [])
  const { external_id, customer_ref } = await earnFor(scene, campaign, affiliate, 10_000)
  await refund(scene.api, { external_id: unique('r'), sale_external_id: external_id, amount_minor: 2500 })
  const { id } = await create(scene, campaign)
  await markPaid(scene, id)
  const [heading, ...lines] = await statement(affiliate.id)
  expect(heading?.join()).toBe(
    'date,entry,type,status,campaign,customer,description,amount,currency,payout_amount,payout_currency,balance,day (UTC)',
  )
  expect(lines.map(cells => cells.slice(2, -1))).toEqual([
    [
      'earned',
      'paid',
      'Partners',
      customer_ref,
      `Sale ${external_id}`,
      '20.00',
      'USD',
      '20.00',
      'USD',
      '20.00',
    ],
    [
      'clawback',
      'paid',
      'Partners',
      customer_ref,
      expect.any(String),
      '-5.00',
      'USD',
      '-5.00',
      'USD',
      '15.00',
    ],
    ['payout', 'paid', 'Partners', '', `Payout ${id}`, '-15.00', 'USD', '-15.00', 'USD', '0.00'],
  ])
  for (const [date] of lines) expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

it('of an earlier time holds what the ledger held then, also what was voided since', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id, { hold_days: 30 })
  const affiliate = await owed(scene, campaign, [])
  const { commissions, external_id } = await earnFor(scene, campaign, affiliate, 10_000)
  const asOf = String(commissions[0]?.created_at)
  await untilAfter(scene, asOf)
  await refund(scene.api, { external_id: unique('r'), sale_external_id: external_id })
  await owe(scene, campaign, affiliate, 300)
  expect((await statement(affiliate.id)).slice(1).map(cells => cells.at(-2))).toEqual(['0.00', '3.00'])
  expect((await statement(affiliate.id, asOf)).slice(1).map(cells => cells.at(-2))).toEqual(['20.00'])
  const { db } = scene.database
  expect(await balancesOf(db, scene.account.id, affiliate.id, asOf)).toMatchObject([{ balance_minor: 2000 }])
  expect(await balancesOf(db, scene.account.id, affiliate.id)).toMatchObject([{ balance_minor: 300 }])
  expect(await statement(affiliate.id, '2020-01-01T00:00:00Z')).toHaveLength(1)
})

it('keeps a balance for each currency, with the decimals of each, and leaves tests out', async () => {
  const yen = await openCampaign(scene.database, scene.account.id, { payout_currency: 'JPY' })
  const dinars = await openCampaign(scene.database, scene.account.id, { payout_currency: 'KWD' })
  const affiliate = await owed(scene, yen, [2000])
  await scene.api.post('/affiliates', { email: affiliate.email, campaign_id: dinars.id })
  await owe(scene, dinars, affiliate, 1234)
  await owe(scene, yen, affiliate, -500)
  await earnFor(scene, yen, affiliate, 9000, { is_test: true })
  expect((await statement(affiliate.id)).slice(1).map(cells => cells.slice(-4, -1))).toEqual([
    ['2000', 'JPY', '2000'],
    ['1.234', 'KWD', '1.234'],
    ['-500', 'JPY', '1500'],
  ])
})
