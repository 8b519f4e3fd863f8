/** If it is unknown whether PayPal paid, nothing is sent again and nothing is released until a person enters the outcome. */

import { describe, expect, it } from 'vitest'
import { faults, held } from '../../../testing/fake-paypal.ts'
import { markPayments } from '../../src/money/payouts/mark-payments.ts'
import { processSubmissions } from '../../src/money/payouts/process-submissions.ts'
import { setPayPalCredentials } from '../../src/money/payouts/rail-credentials.ts'
import { retryPayments } from '../../src/money/payouts/retry-payments.ts'
import { submitPayout } from '../../src/money/payouts/submit-payout.ts'
import { cancelPayout } from './ground.ts'
import { CREDENTIALS, secrets, useRail } from './rail-scene.ts'

const scene = useRail()
const EARNERS = 3
const insufficient = faults.answerBefore(422, { name: 'INSUFFICIENT_FUNDS', message: 'Add funds.' })

const decide = (id: number, outcome: 'paid' | 'failed', itemIds?: number[]) =>
  markPayments(scene.database.db, scene.accountId, id, { outcome, reason: null, reference: null }, itemIds)

/** A payout that PayPal took without our knowing. */
async function startUnknown(): Promise<number> {
  await scene.earners(EARNERS)
  const id = await scene.start()
  scene.paypal.next('submit', faults.resetAfter)
  await scene.ask()
  expect(await scene.books.submissions()).toMatchObject([
    { status: 'intended', maybe_sent_at: expect.any(String) },
  ])
  return id
}

/** Nothing more is asked, whatever time passes, and nothing is released. */
async function expectStill(id: number, problem: RegExp): Promise<void> {
  expect(await scene.books.submissions()).toMatchObject([
    { status: 'unclear', due_at: null, problem: expect.stringMatching(problem) },
  ])
  const calls = scene.paypal.asked.length
  for (let round = 0; round < 3; round++) await scene.ask()
  expect(scene.paypal.asked).toHaveLength(calls)
  expect(await scene.books.status(id)).toBe('processing')
  await expect(scene.create()).rejects.toThrow('nothing to pay')
  await expect(submitPayout(scene.database.db, secrets, scene.accountId, id)).rejects.toThrow('is processing')
  await expect(retryPayments(scene.database.db, scene.accountId, id)).rejects.toThrow('no failed payments')
  await expect(cancelPayout(scene.database.db, scene.accountId, id)).rejects.toThrow('is processing')
}

async function lastHeard(days: number): Promise<void> {
  await scene.database.owner.query(
    `UPDATE payout_submissions SET maybe_sent_at = now() - make_interval(days => $2) WHERE account_id = $1`,
    [scene.accountId, days],
  )
  scene.bank.day += days
}

describe('an unknown outcome', () => {
  it('of 24 days ago is asked about under the same name', async () => {
    const id = await startUnknown()
    await lastHeard(24)
    expect(await scene.askUntilEnded(id)).toBe('paid')
    expect(scene.bank.batches.size).toBe(1)
    await scene.books.expectExact(scene.bank)
  })

  it.each([26, 31, 400])('of %i days ago is unclear, and never sent again', async days => {
    const id = await startUnknown()
    await lastHeard(days)
    const sent = scene.paypal.count('submit')
    await scene.ask()
    await expectStill(id, /not confirmed this batch for 25 days\. Look up T\d+-1-/)
    expect(scene.paypal.count('submit')).toBe(sent)
    expect(scene.bank.batches.size).toBe(1)
    await decide(id, 'paid')
    expect(await scene.books.status(id)).toBe('paid')
    await scene.books.expectExact(scene.bank)
  })

  it('keeps its age over a PayPal that is busy or out of reach', async () => {
    const id = await startUnknown()
    await lastHeard(20)
    scene.paypal.next('submit', faults.answerBefore(429), faults.answerBefore(500))
    await scene.ask()
    await scene.ask()
    scene.bank.endTokens()
    scene.paypal.next('token', faults.answerBefore(500))
    await scene.ask()
    const [submission] = await scene.books.submissions()
    expect(Date.now() - Date.parse(submission?.maybe_sent_at as string)).toBeGreaterThan(19 * 86_400_000)
    await lastHeard(26)
    await scene.ask()
    await expectStill(id, /not confirmed this batch for 25 days/)
  })

  it('and then a refusal is unclear: the refusal may be of the repetition alone', async () => {
    const id = await startUnknown()
    scene.paypal.next('submit', insufficient)
    await scene.ask()
    await expectStill(id, /INSUFFICIENT_FUNDS/)
    await decide(id, 'paid')
    await scene.books.expectExact(scene.bank)
  })

  it('and then a refusal of single items is unclear too', async () => {
    const id = await startUnknown()
    const details = [{ field: 'items[0].receiver', issue: 'Receiver is invalid' }]
    scene.paypal.next('submit', faults.answerBefore(400, { name: 'VALIDATION_ERROR', details }))
    await scene.ask()
    await expectStill(id, /VALIDATION_ERROR/)
    await decide(id, 'paid')
    await scene.books.expectExact(scene.bank)
  })
})

describe('a batch that PayPal knows and does not name', () => {
  it('is unclear; a person says what was paid, item by item', async () => {
    const id = await startUnknown()
    scene.bank.linkIn = 'nowhere'
    await scene.ask()
    await expectStill(id, /already exists/)
    const [lost, ...rest] = (await scene.books.items(id)).map(item => item.id) as [number, ...number[]]
    scene.bank.become(lost, 'RETURNED')
    await decide(id, 'failed', [lost])
    await expect(decide(id, 'paid', [lost])).rejects.toThrow("can't be marked manually")
    await decide(id, 'paid')
    expect((await scene.books.items(id)).map(({ status }) => status)).toEqual([
      'failed',
      ...rest.map(() => 'paid'),
    ])
    expect(await scene.books.status(id)).toBe('partially_paid')
    await scene.books.expectExact(scene.bank)
    const next = await scene.start()
    scene.bank.linkIn = 'detail'
    expect(await scene.askUntilEnded(next)).toBe('paid')
    await scene.books.expectExact(scene.bank)
  })
})

it('while PayPal is processing, no outcome can be entered', async () => {
  await scene.earners(EARNERS)
  const id = await scene.start()
  await expect(decide(id, 'failed')).rejects.toThrow('being processed by paypal')
  await scene.ask()
  await expect(decide(id, 'failed')).rejects.toThrow('being processed by paypal')
  expect(await scene.askUntilEnded(id)).toBe('paid')
  await scene.books.expectExact(scene.bank)
})

describe('a call that outlives its lease', () => {
  it.each([
    ['is refused', insufficient],
    ['is put off', faults.answerBefore(429)],
    ['is not understood', faults.answerBefore(500)],
  ])('and %s undoes nothing of the call that was made instead', async (_, late) => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    const slow = held(late)
    scene.paypal.next('submit', slow.fault)
    const first = processSubmissions(scene.database.db, scene.openRails())
    await slow.arrived
    await scene.ask()
    expect(scene.bank.batches.size).toBe(1)
    slow.letGo()
    await first
    scene.paypal.next('submit', insufficient)
    await scene.askUntilEnded(id)
    await scene.books.expectExact(scene.bank)
    expect(await scene.books.status(id)).toBe('paid')
  })
})

describe('credentials', () => {
  const remove = () =>
    scene.database.owner.query('DELETE FROM rail_credentials WHERE account_id = $1', [scene.accountId])
  const set = (credentials: typeof CREDENTIALS) =>
    setPayPalCredentials(scene.database.db, secrets, scene.accountId, credentials)

  it('are needed to hand over a payout', async () => {
    await scene.earners(EARNERS)
    await remove()
    await expect(scene.start()).rejects.toThrow('no PayPal credentials')
    const [payout] = await scene.books.payouts()
    expect(payout?.status).toBe('pending')
    await cancelPayout(scene.database.db, scene.accountId, payout?.id as number)
    await scene.books.expectExact(scene.bank)
  })

  it('that are missing leave everything as it is until they are set', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    await remove()
    await scene.ask()
    expect(await scene.books.submissions()).toMatchObject([
      { status: 'intended', maybe_sent_at: null, problem: expect.stringContaining('no PayPal credentials') },
    ])
    await set(CREDENTIALS)
    expect(await scene.askUntilEnded(id)).toBe('paid')
    await scene.books.expectExact(scene.bank)
  })

  it('that are wrong send nothing; new ones are used at once', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    scene.bank.clients.set(CREDENTIALS.clientId, 'changed-at-PayPal')
    await scene.ask()
    const [{ problem, ...submission } = { problem: null }] = await scene.books.submissions()
    expect(submission).toMatchObject({ status: 'intended', maybe_sent_at: null })
    expect(problem).toBe('The PayPal request failed: PayPal rejected the credentials')
    await set({ ...CREDENTIALS, clientSecret: 'changed-at-PayPal' })
    expect(await scene.askUntilEnded(id)).toBe('paid')
    await scene.books.expectExact(scene.bank)
  })

  it('are used by one rail, however many calls need it at once', async () => {
    const opened = await Promise.all(Array.from({ length: 4 }, () => scene.rails.paypal(scene.accountId)))
    expect(new Set(opened).size).toBe(1)
  })
})
