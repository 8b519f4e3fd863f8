/** If it is unknown whether PayPal paid, nothing is sent again and nothing is released until a person enters the outcome. */

import { describe, expect, it } from 'vitest'
import { faults, held } from '../../../testing/fake-paypal.ts'
import {
  markPayments,
  recordManualOutcome,
  settleManualOutcome,
} from '../../src/money/payouts/mark-payments.ts'
import { payPayout } from '../../src/money/payouts/pay-payout.ts'
import { processSubmissions } from '../../src/money/payouts/process-submissions.ts'
import { setPayPalCredentials } from '../../src/money/payouts/rail-credentials.ts'
import { retryPayments } from '../../src/money/payouts/retry-payments.ts'
import { claimSubmission } from '../../src/money/payouts/submission.store.ts'
import { submitPayout } from '../../src/money/payouts/submit-payout.ts'
import { asAdmin } from '../delivery/admin.ts'
import { eventually } from '../delivery/scene.ts'
import { cancelPayout } from './ground.ts'
import { CREDENTIALS, secrets, useRail } from './rail-scene.ts'

const scene = useRail()
const EARNERS = 3
const insufficient = faults.answerBefore(422, { name: 'INSUFFICIENT_FUNDS', message: 'Add funds.' })

const decide = (id: number, outcome: 'paid' | 'failed', itemIds?: number[]) =>
  markPayments(scene.database.db, scene.accountId, id, { outcome, reason: null, reference: null }, itemIds)

const waitingForLocks = async () =>
  (
    await asAdmin(`SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`, [
      scene.database.service.database,
    ])
  ).length

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

it('a payment command that is repeated marks nothing as paid without --mark-paid', async () => {
  const id = await startUnknown()
  await lastHeard(26)
  await scene.ask()
  const pay = (choices: Parameters<typeof payPayout>[4]) =>
    payPayout(scene.database.db, secrets, scene.accountId, id, choices)
  await expect(pay({})).rejects.toThrow('already handed over to PayPal')
  expect((await scene.books.items(id)).map(({ outcome }) => outcome)).toEqual(Array(EARNERS).fill(null))
  expect(await pay({ markPaid: true })).toEqual({ items: EARNERS, submitted: false })
  await settleManualOutcome(scene.database.db, scene.accountId, id)
  expect(await scene.books.status(id)).toBe('paid')
  await expect(pay({})).rejects.toThrow('The payout is paid')
  await scene.books.expectExact(scene.bank)
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
  await expect(decide(id, 'paid')).rejects.toThrow('being processed by paypal')
  await scene.ask()
  await expect(decide(id, 'failed')).rejects.toThrow('being processed by paypal')
  expect(await scene.askUntilEnded(id)).toBe('paid')
  await scene.books.expectExact(scene.bank)
})

describe('what was never sent, marked failed as it is sent:', () => {
  it('a person who decides after a claim waits for it, and then may not', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    let decided: Promise<string> | undefined
    await scene.database.db.transaction(async tx => {
      expect(await claimSubmission(tx)).toMatchObject({ payout_id: id, maybe_sent_before: null })
      decided = decide(id, 'failed').then(
        () => 'decided',
        error => (error as Error).message,
      )
      await eventually(async () => expect(await waitingForLocks()).toBe(1))
    })
    expect(await decided).toContain('being processed by paypal')
    expect(await scene.askUntilEnded(id)).toBe('paid')
    await scene.books.expectExact(scene.bank)
  })

  it('a worker passes over what a person is deciding, and then sends only the rest', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    const [withdrawn] = await scene.books.items(id)
    const failed = { outcome: 'failed', reason: null, reference: null } as const
    await scene.database.db.transaction(async tx => {
      await recordManualOutcome(tx, scene.accountId, id, failed, {
        itemIds: [withdrawn?.id as number],
      })
      await processSubmissions(scene.database.db, scene.rails)
      expect(scene.bank.calls).toBe(0)
    })
    expect(await scene.askUntilEnded(id)).toBe('partially_paid')
    expect(scene.bank.paid().has(withdrawn?.id as number)).toBe(false)
    expect(scene.bank.paid().size).toBe(EARNERS - 1)
    await scene.books.expectExact(scene.bank)
  })
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

  it('that stay wrong: what was never sent can be marked failed, not paid, and is in the next payout', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    scene.bank.clients.set(CREDENTIALS.clientId, 'revoked-at-PayPal')
    for (let round = 0; round < 3; round++) await scene.ask()
    await expect(decide(id, 'paid')).rejects.toThrow('being processed by paypal')
    const [first] = await scene.books.items(id)
    await decide(id, 'failed', [first?.id as number])
    await decide(id, 'failed')
    expect(await scene.books.status(id)).toBe('failed')
    await scene.ask()
    expect(await scene.books.submissions()).toMatchObject([
      { status: 'refused', due_at: null, problem: expect.stringContaining('Not sent') },
    ])
    const next = await scene.start()
    await set({ ...CREDENTIALS, clientSecret: 'revoked-at-PayPal' })
    expect(await scene.askUntilEnded(next)).toBe('paid')
    expect(scene.bank.batches.size).toBe(1)
    await scene.books.expectExact(scene.bank)
  })

  it('are used by one rail, however many calls need it at once', async () => {
    const opened = await Promise.all(Array.from({ length: 4 }, () => scene.rails.paypal(scene.accountId)))
    expect(new Set(opened).size).toBe(1)
  })
})
