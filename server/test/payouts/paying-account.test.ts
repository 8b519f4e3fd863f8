/**
 * Protects from two accounts paying the same (row 25): whatever happens to the credentials while an outcome is unknown, the
 * second account is sent nothing about what the first may have paid.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import { type Fault, faults, held } from '../../../testing/fake-paypal.ts'
import type { FakeBank } from '../../../testing/fake-paypal-bank.ts'
import { reportMeasurement, sized } from '../../../testing/size.ts'
import { cancelItem } from '../../src/money/payouts/cancel-item.ts'
import { markPayments } from '../../src/money/payouts/mark-payments.ts'
import { processSubmissions } from '../../src/money/payouts/process-submissions.ts'
import { setPayPalCredentials } from '../../src/money/payouts/rail-credentials.ts'
import { asAdmin } from '../delivery/admin.ts'
import { eventually } from '../delivery/scene.ts'
import { CREDENTIALS, HURRIED_MS, secrets, useRail } from './rail-scene.ts'

const scene = useRail()
const EARNERS = sized(3, 300)
const OTHER = { clientId: 'client-of-another-account', clientSecret: 'another-secret' }
let other: FakeBank
beforeEach(() => {
  other = scene.paypal.openAccount(OTHER.clientId, OTHER.clientSecret)
})

const use = (credentials: typeof CREDENTIALS) =>
  setPayPalCredentials(scene.database.db, secrets, scene.accountId, credentials)
const decide = (id: number, outcome: 'paid' | 'failed', itemIds?: number[]) =>
  markPayments(scene.database.db, scene.accountId, id, { outcome, reason: null, reference: null }, itemIds)
const submission = async () => (await scene.books.submissions())[0]

/** A payout whose submission met this fault, and then the other account's credentials. */
async function changedAfter(fault: Fault): Promise<number> {
  await scene.earners(EARNERS)
  const id = await scene.start()
  scene.paypal.next('submit', fault)
  scene.rails = scene.openRails(fault === faults.hangAfter ? HURRIED_MS : undefined)
  await scene.ask()
  await use(OTHER)
  for (let round = 0; round < 3; round++) await scene.ask()
  return id
}

async function expectHeld(id: number): Promise<void> {
  expect(other.calls).toBe(0)
  expect(await submission()).toMatchObject({
    problem: expect.stringContaining('was sent from a different PayPal account'),
    due_at: expect.any(String),
  })
  expect(await scene.books.status(id)).toBe('processing')
  await expect(scene.create()).rejects.toThrow('nothing to pay')
}

describe('other credentials while an outcome is unknown', () => {
  const unknown: [string, Fault][] = [
    ['PayPal took it and the connection broke', faults.resetAfter],
    ['the connection broke before', faults.resetBefore],
    ['PayPal took it and never answered', faults.hangAfter],
    ['PayPal took it and answered with a page', faults.htmlInsteadAfter(502)],
  ]
  it.each(unknown)('%s: nothing is sent to the second, and the first ends it', async (_what, fault) => {
    const id = await changedAfter(fault)
    await expectHeld(id)
    await use(CREDENTIALS)
    // Set back is taken up at once, without waiting for its turn.
    expect(Date.parse((await submission())?.due_at ?? '')).toBeLessThanOrEqual(Date.now() + 1000)
    expect(await scene.askUntilEnded(id)).toBe('paid')
    await scene.books.expectExact(scene.bank)
    expect(other.movements).toEqual([])
    reportMeasurement({
      row: 25,
      what: `items paid by the second account (${_what})`,
      value: other.movements.length,
      bar: '0',
      holds: other.movements.length === 0,
    })
  })

  it('a rotated secret of the same client is the same account', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    scene.paypal.next('submit', faults.resetAfter)
    await scene.ask()
    scene.bank.clients.set(CREDENTIALS.clientId, 'rotated')
    await use({ ...CREDENTIALS, clientSecret: 'rotated' })
    expect(await scene.askUntilEnded(id)).toBe('paid')
    expect(scene.bank.batches.size).toBe(1)
    await scene.books.expectExact(scene.bank)
  })

  it('removed and set again: held meanwhile, then ended by the same account', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    scene.paypal.next('submit', faults.resetAfter)
    await scene.ask()
    await scene.database.owner.query('DELETE FROM rail_credentials WHERE account_id = $1', [scene.accountId])
    const calls = scene.bank.calls
    await scene.ask()
    expect(scene.bank.calls).toBe(calls)
    expect((await submission())?.problem).toContain('no PayPal credentials')
    await use(CREDENTIALS)
    expect(await scene.askUntilEnded(id)).toBe('paid')
    await scene.books.expectExact(scene.bank)
  })

  it('removed and replaced by the other account’s: held', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    scene.paypal.next('submit', faults.resetAfter)
    await scene.ask()
    await scene.database.owner.query('DELETE FROM rail_credentials WHERE account_id = $1', [scene.accountId])
    await scene.ask()
    await use(OTHER)
    await scene.ask()
    await expectHeld(id)
  })

  it('the same client at another address is another account', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    scene.paypal.next('submit', faults.resetAfter)
    await scene.ask()
    await scene.database.owner.query(`UPDATE payout_submissions SET paying_account = 'the sandbox'`)
    const calls = scene.bank.calls
    await scene.ask()
    expect(scene.bank.calls).toBe(calls)
    await expectHeld(id)
  })
})

describe('other credentials where nothing was sent', () => {
  it('are used: the first never got anything', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    scene.bank.clients.set(CREDENTIALS.clientId, 'wrong by now')
    await scene.ask()
    await use(OTHER)
    expect(await scene.askUntilEnded(id)).toBe('paid')
    expect(scene.bank.batches.size).toBe(0)
    await scene.books.expectExact(other)
  })
})

describe('other credentials between acceptance and outcome', () => {
  it('are not called; the first one reports when it is restored', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    scene.bank.outcome = { batch: 'PENDING', items: 'PENDING' }
    await scene.ask()
    await scene.ask()
    await use(OTHER)
    await scene.ask()
    await expectHeld(id)
    expect((await submission())?.status).toBe('accepted')
    scene.bank.outcome = { batch: 'SUCCESS', items: 'SUCCESS' }
    for (const { senderItemId } of scene.bank.items()) scene.bank.become(senderItemId, 'SUCCESS')
    await use(CREDENTIALS)
    expect(await scene.askUntilEnded(id)).toBe('paid')
    await scene.books.expectExact(scene.bank)
  })

  it('an item is not looked up or taken back at another account', async () => {
    await scene.earners(1)
    const id = await scene.start()
    scene.bank.outcome = { batch: 'SUCCESS', items: 'UNCLAIMED' }
    await scene.ask()
    await scene.ask()
    await use(OTHER)
    const [item] = await scene.books.items(id)
    await expect(
      cancelItem(scene.database.db, scene.rails, scene.accountId, id, item?.id as number),
    ).rejects.toThrow('a different PayPal account')
    expect(other.calls).toBe(0)
  })

  it('what has ended is left alone, and not shown as a task', async () => {
    await scene.earners(1)
    const id = await scene.start()
    expect(await scene.askUntilEnded(id)).toBe('paid')
    await use(OTHER)
    await scene.ask()
    expect(other.calls).toBe(0)
    expect(await scene.books.status(id)).toBe('paid')
    // Once a day, as what has ended is.
    expect(Date.parse((await submission())?.due_at ?? '')).toBeGreaterThan(Date.now() + 80_000_000)
  })
})

describe('a person', () => {
  it('marks each payment; the report of the restored account is still applied', async () => {
    const id = await changedAfter(faults.resetAfter)
    const items = await scene.books.items(id)
    await decide(id, 'paid', [items[0]?.id as number])
    await decide(id, 'failed')
    expect(await scene.books.status(id)).toBe('partially_paid')
    await scene.ask()
    expect(other.calls).toBe(0)
    expect(await submission()).toMatchObject({ status: 'unclear', due_at: null })
  })

  it('who has decided everything leaves the batch unclear when the account is restored: it may have paid', async () => {
    const id = await changedAfter(faults.resetAfter)
    await decide(id, 'failed')
    await use(CREDENTIALS)
    const sent = scene.paypal.count('submit')
    await scene.ask()
    expect(scene.paypal.count('submit')).toBe(sent)
    expect(await submission()).toMatchObject({
      status: 'unclear',
      due_at: null,
      maybe_sent_at: expect.any(String),
      problem: expect.stringContaining('marked manually'),
    })
  })

  it('may not decide what PayPal is being asked about at this moment', async () => {
    const id = await changedAfter(faults.resetAfter)
    await use(CREDENTIALS)
    const call = held(faults.resetAfter)
    scene.paypal.next('submit', call.fault)
    const asking = scene.ask()
    await call.arrived
    await expect(decide(id, 'failed')).rejects.toThrow('being processed by paypal')
    call.letGo()
    await asking
    expect(await scene.askUntilEnded(id)).toBe('paid')
    await scene.books.expectExact(scene.bank)
  })

  it('who decides at the same moment as it resumes waits, and then may not', async () => {
    const id = await changedAfter(faults.resetAfter)
    const worker = await scene.database.owner.connect()
    try {
      await worker.query('BEGIN')
      await worker.query('UPDATE payout_submissions SET account_changed = false WHERE payout_id = $1', [id])
      const decided = decide(id, 'failed').then(
        () => 'decided',
        error => (error as Error).message,
      )
      await eventually(async () =>
        expect(
          await asAdmin(`SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`, [
            scene.database.service.database,
          ]),
        ).toHaveLength(1),
      )
      await worker.query('COMMIT')
      expect(await decided).toContain('being processed by paypal')
    } finally {
      worker.release()
    }
  })

  it('who has decided is heeded when it resumes: what they decided is not sent', async () => {
    const id = await changedAfter(faults.resetBefore)
    await use(CREDENTIALS)
    const person = await scene.database.owner.connect()
    try {
      // The statements of a decision, held before they commit.
      await person.query('BEGIN')
      await person.query('SELECT id FROM payout_submissions WHERE payout_id = $1 FOR NO KEY UPDATE', [id])
      const sent = scene.paypal.count('submit')
      // What is locked is passed over, and taken up in the next round.
      await processSubmissions(scene.database.db, scene.rails)
      expect(scene.paypal.count('submit')).toBe(sent)
      await person.query(`UPDATE payout_items SET outcome = 'failed' WHERE payout_id = $1`, [id])
      await person.query('COMMIT')
    } finally {
      person.release()
    }
    for (let round = 0; round < 3; round++) await scene.ask()
    expect(scene.bank.movements).toEqual([])
    await scene.books.expectExact(scene.bank)
  })
})

describe('a change at the same moment as a call', () => {
  it('leaves the call with the account that it was made for, and whole', async () => {
    await scene.earners(1)
    const first = await scene.start()
    const call = held(({ handle, send }) => {
      const { status, body } = handle()
      send(status, body)
    })
    scene.paypal.next('submit', call.fault)
    const asking = scene.ask()
    await call.arrived
    await use(OTHER)
    await scene.earners(1)
    const second = await scene.start()
    // Another lane opens the new account's rail over the same rails.
    await processSubmissions(scene.database.db, scene.rails)
    call.letGo()
    await asking
    for (let round = 0; round < 3; round++) await scene.ask()
    expect(await scene.books.status(second)).toBe('paid')
    expect(await scene.books.status(first)).toBe('processing')
    expect([...other.batches.values()].map(({ senderBatchId }) => senderBatchId)).toEqual([
      expect.stringContaining(`T${second}-`),
    ])
    await use(CREDENTIALS)
    expect(await scene.askUntilEnded(first)).toBe('paid')
    expect(scene.bank.batches.size).toBe(1)
  })
})

describe('what an earlier version sent, which kept no fingerprint', () => {
  const forget = () =>
    scene.database.owner.query('UPDATE payout_submissions SET paying_account = NULL WHERE account_id = $1', [
      scene.accountId,
    ])

  it('is the present account’s where its credentials are older than the call', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    await scene.database.owner.query(
      `UPDATE rail_credentials SET updated_at = now() - interval '1 hour' WHERE account_id = $1`,
      [scene.accountId],
    )
    scene.paypal.next('submit', faults.resetAfter)
    await scene.ask()
    await forget()
    expect(await scene.askUntilEnded(id)).toBe('paid')
    await scene.books.expectExact(scene.bank)
  })

  it('is a person’s where they were set since', async () => {
    await scene.earners(EARNERS)
    const id = await scene.start()
    scene.paypal.next('submit', faults.resetAfter)
    await scene.ask()
    await forget()
    await use(OTHER)
    await scene.ask()
    await expectHeld(id)
    await decide(id, 'paid')
    expect(await scene.books.status(id)).toBe('paid')
  })
})
