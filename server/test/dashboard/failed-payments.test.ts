/** A failed payment is retried, left for the next payout, or marked as paid: exactly one of them, and never while it may still be paid. */
import type { PayoutItemRow } from '@tributary/contract/dashboard'
import { describe, expect, it } from 'vitest'
import { presentCommission } from '../../src/money/commissions/commission.presenter.ts'
import { correctItem } from '../../src/money/ledger/pins.ts'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { setPayPalCredentials } from '../../src/money/payouts/rail-credentials.ts'
import { recordFailedAsPaid, retryPayments } from '../../src/money/payouts/retry-payments.ts'
import { recordEvent } from '../../src/webhooks/outbox/record-event.ts'
import { brokenInvariants } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { refund } from '../ledger/scene.ts'
import { create, earnFor, owe, owed } from '../payouts/ground.ts'
import { CREDENTIALS } from '../payouts/rail-scene.ts'
import { emails, write } from '../portal/emails.ts'
import { usePayouts } from './payout-scene.ts'

const scene = usePayouts()
const itemsOf = async (id: number): Promise<PayoutItemRow[]> =>
  (await scene.ask('listPayoutItems', { id, query: { order: 'oldest' } })).data
const sound = async () => expect(await brokenInvariants(scene.database)).toEqual([])

/** A manual payout of which the first payment failed and the others were paid. */
async function withFailed(amounts: number[]) {
  const payout = await scene.payoutOf(amounts)
  const [failed, ...paid] = payout.itemIds as [number, ...number[]]
  await scene.ask('failPayout', { id: payout.id, body: { item_ids: [failed], reason: 'Account closed' } })
  if (paid.length > 0) await scene.ask('payPayout', { id: payout.id, body: { item_ids: paid } })
  await scene.book()
  return { ...payout, failed, affiliateId: payout.items[0]?.affiliate_id as number }
}
const retry = (id: number, item_ids?: number[], person = scene.finance) =>
  person.call('retryPayments', { id, body: { item_ids } })
const payFailed = (id: number, item_ids: number[], person = scene.finance) =>
  person.call('payFailedPayments', { id, body: { item_ids, reference: 'wire 7' } })
const problem = (answer: { status: number; body: { error?: { message: string } } }) => [
  answer.status,
  answer.body.error?.message,
]
const taken = (item: number) => [
  409,
  `The commissions of these payments are already in another payout: ${item}.`,
]

describe('a failed payment', () => {
  it('is retried in a separate payout, once', async () => {
    const { id, failed } = await withFailed([3000, 4000])
    expect((await scene.ask('getPayout', { id })).retryable).toBe(1)
    expect((await itemsOf(id)).map(row => row.can_be_retried)).toEqual([true, false])
    const { status, body } = await retry(id, [failed])
    expect([status, body]).toEqual([200, { id: expect.any(Number), items: 1, total_minor: 3000 }])
    expect((await itemsOf(id))[0]).toMatchObject({
      status: 'failed',
      can_be_retried: false,
      next_payout_id: body.id,
    })
    expect((await scene.ask('getPayout', { id })).retryable).toBe(0)
    expect(problem(await retry(id, [failed]))).toEqual(taken(failed))
    expect(problem(await retry(id))).toEqual(taken(failed))
    expect(problem(await payFailed(id, [failed]))).toEqual(taken(failed))
    expect((await scene.audited(id))[0]).toMatchObject({
      action: 'payout.retry',
      details: { new_payout_id: body.id },
    })
    await sound()
  })

  it('is open again when its retry is canceled, and a retry takes refunds and the minimum into account', async () => {
    const affiliate = await owed(scene, scene.campaign, [])
    const { external_id } = await earnFor(scene, scene.campaign, affiliate, 20_000)
    const { id } = await create(scene, scene.campaign)
    const [item] = await itemsOf(id)
    await scene.ask('failPayout', { id, body: { expected: 1, reason: 'No' } })
    await scene.book()
    const first = await retry(id)
    expect(first.body.total_minor).toBe(4000)
    await scene.ask('cancelPayout', { id: first.body.id })
    await scene.book()
    expect((await itemsOf(id))[0]).toMatchObject({ can_be_retried: true, next_payout_id: null })
    await refund(scene.api, {
      external_id: `${external_id}-a`,
      sale_external_id: external_id,
      amount_minor: 10_000,
    })
    const second = await retry(id)
    expect(second.body.total_minor).toBe(2000)
    await scene.ask('cancelPayout', { id: second.body.id })
    await scene.book()
    await refund(scene.api, {
      external_id: `${external_id}-b`,
      sale_external_id: external_id,
      amount_minor: 8000,
    })
    expect(problem(await retry(id, [item?.id as number]))).toEqual([
      409,
      'There is nothing to pay: 1 × below_minimum.',
    ])
    await sound()
  })

  it('is marked as paid with exactly its amount, whatever was earned since', async () => {
    const { id, failed, affiliateId } = await withFailed([3000])
    await owe(scene, scene.campaign, { id: affiliateId }, 5000)
    const { status, body } = await payFailed(id, [failed])
    expect([status, body]).toEqual([200, { id: expect.any(Number), items: 1 }])
    await scene.book()
    expect(await scene.ask('getPayout', { id: body.id })).toMatchObject({
      status: 'paid',
      rail: 'manual',
      total_minor: 3000,
    })
    expect((await itemsOf(body.id))[0]).toMatchObject({ status: 'paid', reference: 'wire 7' })
    expect(problem(await payFailed(id, [failed]))).toEqual(taken(failed))
    expect(problem(await retry(id, [failed]))).toEqual(taken(failed))
    // What was earned since is left, and nothing else.
    const preview = await scene.ask('previewPayout', {
      query: { campaign_id: scene.campaign.id, rail: 'manual' },
    })
    expect(preview.total_minor).toBe(5000)
    await sound()
  })

  it('was sent to no address that an email names if it was paid another way; what PayPal paid was', async () => {
    const { id, items } = await scene.payoutOf([3000, 4000], 'paypal')
    const [failed, paid] = items as [PayoutItemRow, PayoutItemRow]
    await setPayPalCredentials(scene.database.db, scene.app.services.secrets, scene.account.id, CREDENTIALS)
    await scene.ask('payPayout', { id, body: { send: true } })
    await scene.database.owner.query(
      `UPDATE payout_submissions SET status = 'unclear', due_at = NULL WHERE payout_id = $1`,
      [id],
    )
    await scene.ask('failPayout', { id, body: { item_ids: [failed.id], reason: 'Not there' } })
    await scene.ask('payPayout', { id, body: { item_ids: [paid.id] } })
    await scene.book()
    const { body } = await payFailed(id, [failed.id])
    await scene.book()
    await write(scene)
    const sentMails = async ({ email }: PayoutItemRow) =>
      (await emails(scene, email))
        .filter(({ kind }) => kind === 'payout_sent')
        .map(({ text_body }) => text_body)
    expect(await sentMails(paid)).toEqual([expect.stringContaining(`It was sent to ${paid.payout_address}.`)])
    expect(await sentMails(failed)).toEqual([expect.not.stringContaining('It was sent to')])
    expect((await itemsOf(body.id))[0]).toMatchObject({ status: 'paid', payout_address: null })
  })

  it('is included in the next payout without any action', async () => {
    const { id, failed } = await withFailed([3000])
    const next = await create(scene, scene.campaign)
    expect((await itemsOf(id))[0]).toMatchObject({ can_be_retried: false, next_payout_id: next.id })
    expect(problem(await payFailed(id, [failed]))).toEqual(taken(failed))
  })

  it('can neither be retried nor marked when its rail reports that it was paid after all', async () => {
    const { id, failed } = await withFailed([3000])
    await scene.database.db.transaction(async tx => {
      const entry = await correctItem(tx, scene.account.id, failed, 'paid')
      recordEvent(tx, scene.account.id, 'commission.created', presentCommission(entry))
    })
    expect((await itemsOf(id))[0]?.can_be_retried).toBe(false)
    expect((await retry(id, [failed])).status).toBe(409)
    expect((await payFailed(id, [failed])).status).toBe(409)
  })

  it('is resolved by people who may move money, in their own account', async () => {
    const { id, failed } = await withFailed([3000])
    expect((await retry(id, [failed], scene.viewer)).status).toBe(403)
    expect((await payFailed(id, [failed], scene.viewer)).status).toBe(403)
    expect((await retry(id + 1_000_000, [failed])).status).toBe(404)
  })
})

describe('a payment that may still be paid', () => {
  it.each(['pending', 'processing', 'recorded'])('is refused while it is %s', async state => {
    const { id, itemIds } = await scene.payoutOf([3000])
    const [item] = itemIds as [number]
    if (state === 'processing')
      expect((await scene.finance.call('exportPayout', { id, body: { format: 'bank' } })).status).toBe(200)
    // Known to have failed, but its commissions are not released yet.
    if (state === 'recorded') await scene.ask('failPayout', { id, body: { expected: 1, reason: 'No' } })
    const refused = `These payments of payout ${id} have not failed: ${item}. A payment whose outcome is unknown may still be paid.`
    expect(problem(await retry(id, itemIds))).toEqual([409, refused])
    expect(problem(await payFailed(id, itemIds))).toEqual([409, refused])
    expect(problem(await retry(id))).toEqual([409, `Payout ${id} has no failed payments.`])
  })
})

describe('of two people at once', () => {
  const ways = {
    retry: (id: number, item: number) => retry(id, [item]),
    'mark as paid': (id: number, item: number) => payFailed(id, [item]),
  }
  it.each(Object.entries(ways))('the second, who wants to %s, is refused', async (_name, second) => {
    for (const first of [retryPayments, recordFailedAsPaid]) {
      const { id, failed } = await withFailed([3000])
      const answer = await whileHeld(
        scene.database,
        tx => first(tx, scene.account.id, id, [failed], null),
        () => second(id, failed),
      )
      expect(problem(answer)).toEqual(taken(failed))
    }
    await sound()
  })

  it('one who marks it as paid while a payout is being created is refused', async () => {
    const { id, failed } = await withFailed([3000])
    const answer = await whileHeld(
      scene.database,
      tx => createPayout(tx, scene.account.id, { campaignId: scene.campaign.id, rail: 'manual' }),
      () => payFailed(id, [failed]),
    )
    expect(problem(answer)).toEqual(taken(failed))
  })
})
