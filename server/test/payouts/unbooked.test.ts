/** Between recording and settling: a recorded outcome holds, even if a crash delays its settlement. */
import type { Campaign } from '@tributary/contract'
import { beforeEach, expect, it } from 'vitest'
import { recordOutcome } from '../../src/money/payouts/payment-outcome.store.ts'
import type { ReportedOutcome } from '../../src/money/payouts/payout.ts'
import { settleAllPayouts } from '../../src/money/payouts/settle-payout.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { openCampaign } from '../ledger/scene.ts'
import { create, exported, markPaid, owed, preview, show, statuses } from './ground.ts'

const scene = useSoundScene()
let campaign: Campaign
let id: number
let first: number
let second: number

beforeEach(async () => {
  campaign = await openCampaign(scene.database, scene.account.id)
  for (const amount of [100, 200]) await owed(scene, campaign, [amount])
  id = (await create(scene, campaign)).id
  ;[first, second] = (await show(scene, id)).items.map(item => item.id) as [number, number]
})

/** A process that crashes right after recording the outcome. */
const record = (outcome: ReportedOutcome['outcome'], itemIds?: number[]) =>
  scene.database.db.transaction(tx =>
    recordOutcome(tx, scene.account.id, id, itemIds, { outcome, reason: null, reference: null }),
  )

const itemsIn = (file: string) =>
  file
    .split('\r\n')
    .slice(1, -1)
    .map(line => Number(line.split(',')[0]))

it.each(['paid', 'failed'] as const)('an item that was marked %s is no longer in the file', async outcome => {
  await record(outcome, [first])
  expect(itemsIn(await exported(scene, id, 'bank'))).toEqual([second])
})

it('a payout that was canceled has no file to pay from', async () => {
  await record('canceled')
  const file = await exported(scene, id, 'bank').catch(() => '')
  expect(itemsIn(file)).toEqual([])
})

it('a payout that was canceled cannot be called paid', async () => {
  await record('canceled')
  await expect(markPaid(scene, id)).rejects.toMatchObject({ code: 'invalid_state' })
})

it('the next process books what was said, once, and the rest stays open', async () => {
  await record('paid', [first])
  await settleAllPayouts(scene.database.db)
  await settleAllPayouts(scene.database.db)
  const { items } = await show(scene, id)
  expect(items.map(({ status }) => status)).toEqual(['paid', 'pending'])
  const { body } = await scene.api.get(`/commissions?campaign_id=${campaign.id}&entry_type=payout`)
  expect(body.data).toMatchObject([{ amount_minor: -100 }])
})

it('a payout that was canceled is free for the next one as soon as that is booked', async () => {
  await record('canceled')
  expect((await preview(scene, campaign)).rows).toEqual([])
  await settleAllPayouts(scene.database.db)
  expect(await statuses(scene, id)).toEqual(['canceled', 'canceled', 'canceled'])
  expect(await preview(scene, campaign)).toMatchObject({ items: 2, total_minor: 300 })
})

it('all of it leaves the ledger whole', async () => {
  await settleAllPayouts(scene.database.db)
  expect(await brokenInvariants(scene.database)).toEqual([])
})
