/** Protects payments made from the dashboard: each is recorded at once and booked once, both manually and over PayPal. */
import type { PayoutItemRow } from '@tributary/contract/dashboard'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakePayPal, held } from '../../../testing/fake-paypal.ts'
import { OpenRails } from '../../src/money/payouts/open-rails.ts'
import { processSubmissions } from '../../src/money/payouts/process-submissions.ts'
import { setPayPalCredentials } from '../../src/money/payouts/rail-credentials.ts'
import { brokenInvariants } from '../harness.ts'
import { openCampaign } from '../ledger/scene.ts'
import { owed } from '../payouts/ground.ts'
import { CREDENTIALS } from '../payouts/rail-scene.ts'
import { usePayouts } from './payout-scene.ts'

const scene = usePayouts()

const dryRun = (query: object = {}) =>
  scene.ask('previewPayout', { query: { campaign_id: scene.campaign.id, rail: 'manual', ...query } })

describe('paying manually', () => {
  it('all of it is written down at once with its reference, and booked by the service', async () => {
    const { id } = await scene.payoutOf([2000, 3000])
    expect(await scene.ask('payPayout', { id, body: { expected: 2, reference: 'SEPA 7' } })).toEqual({
      items: 2,
    })
    expect(await scene.ask('getPayout', { id })).toMatchObject({
      status: 'processing',
      unbooked: 2,
      by_hand: 0,
    })
    expect((await scene.ask('listPayoutItems', { id })).data).toMatchObject([
      { status: 'processing', outcome: 'paid', by_hand: false, reference: 'SEPA 7' },
      { status: 'processing', outcome: 'paid' },
    ])
    expect(await scene.ask('payPayout', { id, body: { expected: 0 } })).toEqual({ items: 0 })
    await scene.book()
    expect(await scene.ask('getPayout', { id })).toMatchObject({
      status: 'paid',
      unbooked: 0,
      counts: [{ status: 'paid', items: 2, amount_minor: 5000 }],
      finished_at: expect.any(String),
    })
    expect(await scene.audited(id)).toMatchObject([
      { action: 'payout.pay' },
      { action: 'payout.pay', details: { reference: 'SEPA 7' } },
    ])
  })

  it('items one by one: some are paid, some fail with a reason', async () => {
    const { id, itemIds } = await scene.payoutOf([2000, 3000, 4000])
    const [first, second, third] = itemIds as [number, number, number]
    await scene.ask('payPayout', { id, body: { item_ids: [first] } })
    await scene.ask('failPayout', { id, body: { item_ids: [second], reason: 'Account closed' } })
    await scene.book()
    const failed = await scene.ask('listPayoutItems', { id, query: { status: 'failed' } })
    expect(failed).toMatchObject({ data: [{ id: second, reason: 'Account closed' }], next: null })
    // One settled item fails the whole request: nothing changes, and nothing is added to the audit log.
    const refused = await scene.finance.call('payPayout', { id, body: { item_ids: [third, second] } })
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } })
    expect(await scene.statusesOf(id)).toEqual(['paid', 'failed', 'processing'])
    expect(await scene.audited(id)).toHaveLength(2)
    await scene.ask('failPayout', { id, body: { expected: 1, reason: 'No answer' } })
    await scene.book()
    expect(await scene.ask('getPayout', { id })).toMatchObject({ status: 'partially_paid' })
    expect(await dryRun()).toMatchObject({ items: 2, total_minor: 7000 })
  })

  it('from a file: the payout counts as sent, and what is decided is not in the next file', async () => {
    const { id, itemIds } = await scene.payoutOf([2000, 3000])
    const firstColumn = (text: string) => text.split('\r\n').map(line => line.split(',')[0])
    const file = await scene.finance.call('exportPayout', { id, body: { format: 'bank' } })
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(file.headers.get('content-disposition')).toContain(`payout-${id}-bank.csv`)
    expect(firstColumn(file.text)).toEqual(['item_id', ...itemIds.map(String), ''])
    expect(await scene.ask('getPayout', { id })).toMatchObject({ status: 'processing' })
    expect(await scene.audited(id)).toMatchObject([{ action: 'payout.export', details: { format: 'bank' } }])
    await scene.ask('payPayout', { id, body: { item_ids: itemIds.slice(0, 1) } })
    const rest = await scene.finance.call('exportPayout', { id, body: { format: 'paypal' } })
    expect(rest.text.split('\r\n')).toEqual([
      expect.stringContaining(`,30.00,USD,${itemIds[1]},Payout item`),
      '',
    ])
    const report = await scene.viewer.call('exportPayoutItems', { id })
    expect(firstColumn(report.text)).toEqual(['item', ...itemIds.map(String), ''])
    expect(await scene.finance.call('cancelPayout', { id })).toMatchObject({ status: 409 })
  })

  it('from a file for PayPal only where everybody has an address', async () => {
    await owed(scene, scene.campaign, [2000], { paypal_email: null })
    const { id } = await scene.payoutOf([3000])
    expect(await scene.finance.call('exportPayout', { id, body: { format: 'paypal' } })).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('Items without a PayPal address') } },
    })
    expect(await scene.ask('getPayout', { id })).toMatchObject({ status: 'pending' })
  })

  it('from a file for PayPal only in a currency that PayPal pays exactly', async () => {
    const { id } = await scene.payoutOf([2000])
    expect(await scene.ask('getPayout', { id })).toMatchObject({ has_paypal_file: true })
    const terms = { payout_currency: 'HUF', minimum_payout_minor: 1000 }
    scene.campaign = await openCampaign(scene.database, scene.account.id, terms)
    const { id: inexact } = await scene.payoutOf([2000])
    expect(await scene.ask('getPayout', { id: inexact })).toMatchObject({ has_paypal_file: false })
    expect(
      await scene.finance.call('exportPayout', { id: inexact, body: { format: 'paypal' } }),
    ).toMatchObject({
      status: 409,
      body: { error: { message: 'PayPal does not pay HUF exactly. Use the bank file.' } },
    })
    expect(await scene.ask('getPayout', { id: inexact })).toMatchObject({ status: 'pending' })
  })

  it('not at all: what is canceled holds from that moment', async () => {
    const { id } = await scene.payoutOf([2000])
    expect(await scene.ask('cancelPayout', { id })).toEqual({ items: 1 })
    expect(await scene.ask('getPayout', { id })).toMatchObject({ status: 'pending', unbooked: 1, by_hand: 0 })
    for (const call of [
      () => scene.finance.call('payPayout', { id, body: { expected: 1 } }),
      () => scene.finance.call('exportPayout', { id, body: { format: 'bank' } }),
    ])
      expect(await call()).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } })
    await scene.book()
    expect(await scene.ask('getPayout', { id })).toMatchObject({ status: 'canceled' })
    expect(await dryRun()).toMatchObject({ items: 1, total_minor: 2000 })
    expect(await scene.audited(id)).toMatchObject([{ action: 'payout.cancel' }])
  })
})

it('items are paged by affiliate in both directions', async () => {
  const { id, itemIds } = await scene.payoutOf([2000, 3000, 4000])
  const page = (query: object) => scene.ask('listPayoutItems', { id, query })
  const ids = ({ data }: { data: PayoutItemRow[] }) => data.map(item => item.id)
  const first = await page({ limit: 2, order: 'oldest' })
  expect(ids(first)).toEqual(itemIds.slice(0, 2))
  const rest = await page({ limit: 2, order: 'oldest', after: first.next })
  expect([ids(rest), rest.next]).toEqual([itemIds.slice(2), null])
  expect(ids(await page({}))).toEqual(itemIds.toReversed())
  const [{ affiliate_id }] = rest.data
  expect(ids(await page({ affiliate_id }))).toEqual(itemIds.slice(2))
  expect(ids(await page({ affiliate_id, status: 'paid' }))).toEqual([])
})

describe('over PayPal', () => {
  let paypal: FakePayPal
  let rails: OpenRails
  beforeAll(async () => {
    paypal = await FakePayPal.start()
    const { services } = scene.app
    services.settings.TRIBUTARY_PAYPAL_URL = paypal.url
    rails = new OpenRails(services)
  })
  afterAll(async () => {
    await rails.close()
    await paypal.refuse()
  })
  const askPayPal = async () => {
    await scene.database.owner.query(
      "UPDATE payout_submissions SET due_at = now() - interval '1 minute' WHERE due_at IS NOT NULL",
    )
    await processSubmissions(scene.database.db, rails)
  }

  it('needs credentials; then it is sent, and what PayPal holds can be taken back', async () => {
    const { id, items } = await scene.payoutOf([2000, 3000, 4000], 'paypal')
    expect(await scene.ask('getPayout', { id })).toMatchObject({ has_paypal: false, by_hand: 0 })
    expect(await scene.finance.call('payPayout', { id, body: { send: true } })).toMatchObject({ status: 409 })
    expect(await scene.finance.call('exportPayout', { id, body: { format: 'bank' } })).toMatchObject({
      status: 409,
    })
    await setPayPalCredentials(scene.database.db, scene.app.services.secrets, scene.account.id, CREDENTIALS)
    expect(await scene.ask('payPayout', { id, body: { send: true } })).toEqual({ items: 3 })
    expect(await scene.ask('getPayout', { id })).toMatchObject({
      status: 'processing',
      has_paypal: true,
      submissions: [{ status: 'intended', items: 3, problem: null, external_id: null }],
    })
    const [steady, unclaimed, claimed] = items as [PayoutItemRow, PayoutItemRow, PayoutItemRow]
    for (const { payout_address } of [unclaimed, claimed])
      paypal.bank.plan(payout_address as string, 'UNCLAIMED')
    const takeBack = (item: PayoutItemRow) =>
      scene.finance.call('cancelPayout', { id, body: { item_id: item.id } })
    expect(await takeBack(unclaimed)).toMatchObject({ status: 409 })
    await askPayPal()
    await askPayPal()
    expect(await scene.statusesOf(id)).toEqual(['paid', 'processing', 'processing'])
    expect((await scene.ask('listPayoutItems', { id, query: { status: 'processing' } })).data).toMatchObject([
      { can_be_taken_back: true, by_hand: false, reason: 'PayPal says UNCLAIMED' },
      { can_be_taken_back: true },
    ])
    expect(await takeBack(steady)).toMatchObject({ status: 409 })
    expect(await takeBack(unclaimed)).toMatchObject({ status: 200, body: { items: 1 } })
    paypal.bank.become(claimed.id, 'SUCCESS')
    expect(await takeBack(claimed)).toMatchObject({ status: 200, body: { items: 0 } })
    await scene.book()
    expect(await scene.statusesOf(id)).toEqual(['paid', 'canceled', 'paid'])
    expect(await scene.ask('getPayout', { id })).toMatchObject({ status: 'partially_paid' })
  })

  it('a silent PayPal is said to be that', async () => {
    const { id, items } = await scene.payoutOf([2000], 'paypal')
    const [item] = items as [PayoutItemRow]
    paypal.bank.plan(item.payout_address as string, 'UNCLAIMED')
    await scene.ask('payPayout', { id, body: { send: true } })
    await askPayPal()
    await askPayPal()
    await paypal.refuse()
    const answer = await scene.finance.call('cancelPayout', { id, body: { item_id: item.id } })
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } })
    expect(answer.body.error.message).toMatch(/^PayPal did not confirm the cancellation/)
    await paypal.accept()
    expect(await scene.finance.call('cancelPayout', { id, body: { item_id: item.id } })).toMatchObject({
      status: 200,
    })
    await scene.book()
    expect(await scene.ask('getPayout', { id })).toMatchObject({ status: 'canceled' })
  })

  it('a PayPal that keeps us waiting keeps no connection', async () => {
    const { id, items } = await scene.payoutOf([2000], 'paypal')
    const [item] = items as [PayoutItemRow]
    paypal.bank.plan(item.payout_address as string, 'UNCLAIMED')
    await scene.ask('payPayout', { id, body: { send: true } })
    await askPayPal()
    await askPayPal()
    const slow = held(({ handle, send }) => {
      const { status, body } = handle()
      send(status, body)
    })
    paypal.next('cancel', slow.fault)
    const answer = scene.finance.call('cancelPayout', { id, body: { item_id: item.id } })
    await slow.arrived
    const { pool } = scene.database.db
    expect(pool.idleCount).toBe(pool.totalCount)
    slow.letGo()
    expect(await answer).toMatchObject({ status: 200 })
    expect(await scene.audited(id)).toMatchObject([
      { action: 'payout.cancel', details: { item_id: item.id } },
      { action: 'payout.pay' },
    ])
    await scene.book()
  })

  it('items whose outcome PayPal never reported are settled manually', async () => {
    const { id } = await scene.payoutOf([2000, 3000], 'paypal')
    await scene.ask('payPayout', { id, body: { send: true } })
    await scene.database.owner.query(
      "UPDATE payout_submissions SET status = 'unclear', problem = 'Silence', due_at = NULL WHERE payout_id = $1",
      [id],
    )
    expect(await scene.ask('getPayout', { id })).toMatchObject({
      by_hand: 2,
      submissions: [{ status: 'unclear', problem: 'Silence' }],
    })
    expect(await scene.ask('payPayout', { id, body: { expected: 2, reference: 'Seen at PayPal' } })).toEqual({
      items: 2,
    })
    await scene.book()
    expect(await scene.ask('getPayout', { id })).toMatchObject({ status: 'paid' })
  })

  it('is sent once: sent again from an older page, it marks nothing as paid', async () => {
    const { id } = await scene.payoutOf([2000, 3000], 'paypal')
    await scene.ask('payPayout', { id, body: { send: true } })
    await scene.database.owner.query(
      "UPDATE payout_submissions SET status = 'unclear', problem = 'Silence', due_at = NULL WHERE payout_id = $1",
      [id],
    )
    expect(await scene.finance.call('payPayout', { id, body: { send: true } })).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_state', message: expect.stringContaining('only a pending payout') } },
    })
    expect(await scene.finance.call('payPayout', { id })).toMatchObject({ status: 422 })
    expect(await scene.ask('getPayout', { id })).toMatchObject({ by_hand: 2, unbooked: 0 })
    await scene.ask('failPayout', { id, body: { expected: 2, reason: 'Not at PayPal' } })
    await scene.book()
  })

  it('what was never sent is marked failed, not paid', async () => {
    const { id } = await scene.payoutOf([2000, 3000], 'paypal')
    await scene.ask('payPayout', { id, body: { send: true } })
    expect(await scene.ask('getPayout', { id })).toMatchObject({ by_hand: 0, unsent: 2 })
    expect((await scene.ask('listPayoutItems', { id })).data).toMatchObject([
      { is_unsent: true, by_hand: false },
      { is_unsent: true, by_hand: false },
    ])
    expect(await scene.finance.call('payPayout', { id, body: { expected: 0 } })).toMatchObject({
      status: 409,
    })
    await scene.ask('failPayout', { id, body: { expected: 2, reason: 'PayPal is closed' } })
    await scene.book()
    expect(await scene.ask('getPayout', { id })).toMatchObject({ status: 'failed', unsent: 0 })
  })
})

describe('marking all that is open', () => {
  it.each([
    ['payPayout', {}],
    ['failPayout', { reason: 'No answer' }],
  ] as const)('%s marks nothing if it is not the number that the page showed', async (route, note) => {
    const { id, itemIds } = await scene.payoutOf([2000, 3000, 4000])
    await scene.ask('payPayout', { id, body: { item_ids: itemIds.slice(0, 1) } })
    await scene.book()
    for (const expected of [3, 1, 0])
      expect(await scene.finance.call(route, { id, body: { expected, ...note } })).toMatchObject({
        status: 409,
        body: { error: { code: 'conflict', message: expect.stringMatching(/^The payout has changed: 2 /) } },
      })
    expect(await scene.ask('getPayout', { id })).toMatchObject({ by_hand: 2, unbooked: 0 })
    expect(await scene.ask(route, { id, body: { expected: 2, ...note } })).toEqual({ items: 2 })
    await scene.book()
  })

  it.each([
    ['neither the number nor the payments', {}, 'expected'],
    ['both', { expected: 1, item_ids: [1] }, 'expected'],
    ['sending, and a reference', { send: true, reference: 'SEPA 7' }, 'send'],
  ])('is refused with %s', async (_what, body, field) => {
    const { id } = await scene.payoutOf([2000])
    const answer = await scene.finance.call('payPayout', { id, body })
    expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringMatching(`^${field} `)])
  })
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
