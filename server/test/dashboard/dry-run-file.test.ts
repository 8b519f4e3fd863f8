/** Protects payouts that are checked in a spreadsheet first: the file is the whole dry run, from one snapshot. */
import { expect, it } from 'vitest'
import { csvPreview } from '../../src/dashboard/payouts/csv-preview.ts'
import { parseCsv } from '../../src/kit/parse-csv.ts'
import { openCampaign } from '../ledger/scene.ts'
import { create, owe, owed, preview } from '../payouts/ground.ts'
import { usePayouts } from './payout-scene.ts'

const scene = usePayouts()

it('says what everybody gets, or why nothing', async () => {
  const rich = await owed(scene, scene.campaign, [5000], { name: '=rich' })
  await create(scene, scene.campaign)
  await owe(scene, scene.campaign, rich, 2000)
  await owe(scene, scene.campaign, rich, 247)
  const poor = await owed(scene, scene.campaign, [999], { name: 'Poor, Paula' })
  const debtor = await owed(scene, scene.campaign, [-200])
  const { status, headers, text } = await scene.viewer.call('exportPreview', {
    query: { campaign_id: scene.campaign.id, rail: 'manual' },
  })
  const name = `attachment; filename="payout-dry-run-${scene.campaign.id}.csv"`
  expect([status, headers.get('content-disposition')]).toEqual([200, name])
  expect(text.split('\r\n').slice(1)).toEqual([
    `${rich.id},'=rich,${rich.email},22.47,USD,${rich.paypal_email},2,,72.47,22.47,0.00,0.00,50.00`,
    `${poor.id},"Poor, Paula",${poor.email},0.00,USD,,0,below_minimum,9.99,9.99,0.00,0.00,0.00`,
    `${debtor.id},,${debtor.email},0.00,USD,,0,negative_balance,-2.00,-2.00,0.00,0.00,0.00`,
    '',
  ])
})

it('is not begun where the dry run is refused', async () => {
  const exact = await openCampaign(scene.database, scene.account.id, { payout_currency: 'HUF' })
  for (const [campaign_id, expected] of [
    [exact.id, 422],
    [999_999_999, 404],
  ]) {
    const { status, body } = await scene.finance.call('exportPreview', {
      query: { campaign_id, rail: 'paypal' },
    })
    expect([status, typeof body.error.message]).toEqual([expected, 'string'])
  }
})

it('is of one moment, whatever is booked while it is read', async () => {
  const [people, cents] = [2500, 1000]
  await scene.database.owner.query(
    `WITH people AS (
       INSERT INTO affiliates (account_id, email, email_key, status, kind, token)
       SELECT $1, 'many-' || n || '@example.com', 'many-' || n || '@example.com', 'approved', 'affiliate', 'many-' || n
         FROM generate_series(1, $3) n
       RETURNING id)
     INSERT INTO commissions (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency,
                              payout_amount_minor, payout_currency, status)
     SELECT $1, $2, id, 'adjustment', 'affiliate', $4::integer, 'USD', $4::integer, 'USD', 'approved' FROM people`,
    [scene.account.id, scene.campaign.id, people, cents],
  )
  expect((await preview(scene, scene.campaign)).total_minor).toBe(people * cents)
  const request = { campaignId: scene.campaign.id, rail: 'manual' } as const
  const pages = csvPreview(scene.database.db, scene.account.id, request, {})
  let text = `${(await pages.next()).value}${(await pages.next()).value}`
  await scene.database.owner.query(
    `INSERT INTO commissions (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency,
                              payout_amount_minor, payout_currency, status)
     SELECT account_id, campaign_id, affiliate_id, entry_type, beneficiary, -1, currency, -1, payout_currency, status
       FROM commissions WHERE account_id = $1 AND campaign_id = $2`,
    [scene.account.id, scene.campaign.id],
  )
  for await (const page of pages) text += page
  const amounts = parseCsv(text)
    .slice(1)
    .map(({ cells }) => cells[3])
  expect([amounts.length, new Set(amounts)]).toEqual([people, new Set(['10.00'])])
})
