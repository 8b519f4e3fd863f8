/** Protects the ledger from a rail that decides item by item, and decides otherwise later: it follows, once, in both directions. */
import type { Earnings } from '@tributary/contract/portal'
import { describe, expect, it } from 'vitest'
import { faults } from '../../../testing/fake-paypal.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { cancelItem } from '../../src/money/payouts/cancel-item.ts'
import { settleAllPayouts, settlePayout } from '../../src/money/payouts/settle-payout.ts'
import { submitPayout } from '../../src/money/payouts/submit-payout.ts'
import { findEarnings } from '../../src/portal/earnings.store.ts'
import { type Earner, HURRIED_MS, type ItemRow, secrets, useRail } from './rail-scene.ts'

const scene = useRail()
const PROBLEM = { name: 'RECEIVER_COUNTRY_NOT_ALLOWED', message: 'The receiver lives too far away.' }

/** A payout of two: one that is paid at once, and one with this PayPal status. */
async function startWith(status: string, problem?: typeof PROBLEM) {
  const [steady, other] = (await scene.earners(2)) as [Earner, Earner]
  scene.bank.plan(other.receiver, status, problem)
  const id = await scene.start()
  await scene.ask()
  await scene.ask()
  const item = (await scene.books.items(id)).find(
    ({ affiliate_id }) => affiliate_id === other.affiliateId,
  ) as ItemRow
  return { id, item, other, steady }
}

const itemNow = async ({ id }: ItemRow) => (await scene.books.items()).find(item => item.id === id)

/** What the next payout would pay, by affiliate; undefined where there is nothing. */
async function nextPayout(): Promise<[number, number][] | undefined> {
  const id = await scene.create().catch(() => undefined)
  if (id === undefined) return undefined
  return (await scene.books.items(id)).map(({ affiliate_id, amount_minor }) => [affiliate_id, amount_minor])
}

/** What balance and portal show of an affiliate, who has a single campaign; they agree. */
async function sumsOf({ affiliateId }: Earner) {
  const { db } = scene.database
  const [balance, ...currencies] = await balancesOf(db, scene.accountId, affiliateId)
  const earnings = (await findEarnings(db, scene.accountId, affiliateId))[0] as Earnings
  const { earned_minor, pending_minor, approved_minor, in_payout_minor, paid_minor } = earnings
  expect(currencies).toEqual([])
  expect(balance).toMatchObject({
    approved_minor: approved_minor + in_payout_minor,
    paid_out_minor: paid_minor,
    balance_minor: earned_minor - paid_minor,
  })
  expect(pending_minor + approved_minor + in_payout_minor + paid_minor).toBe(earned_minor)
  return { earned: earned_minor, payable: approved_minor, paid: paid_minor }
}

describe('an item that is', () => {
  it.each(['FAILED', 'BLOCKED', 'RETURNED', 'REFUNDED', 'REVERSED'])('%s has failed', async status => {
    const { id, item, other } = await startWith(status, PROBLEM)
    expect(await scene.books.status(id)).toBe('partially_paid')
    expect(item).toMatchObject({ status: 'failed', reason: PROBLEM.message, booked_minor: 0 })
    await scene.books.expectExact(scene.bank)
    expect(await nextPayout()).toEqual([[other.affiliateId, other.minor]])
  })

  it.each(['PENDING', 'UNCLAIMED', 'ONHOLD', 'SOMETHING_NEW', ''])(
    '"%s" keeps the payout open',
    async status => {
      const { id, item } = await startWith(status)
      expect(await scene.books.status(id)).toBe('processing')
      expect(item).toMatchObject({
        status: 'processing',
        outcome: null,
        reason: expect.stringMatching(/^PayPal says/),
      })
      expect(await nextPayout()).toBeUndefined()
      await scene.books.expectExact(scene.bank)
      scene.bank.become(item.id, 'SUCCESS')
      expect(await scene.askUntilEnded(id)).toBe('paid')
      expect(await itemNow(item)).toMatchObject({ status: 'paid', reason: null })
      await scene.books.expectExact(scene.bank)
    },
  )
})

describe('an unclaimed item that', () => {
  it('is claimed later is paid', async () => {
    const { id, item } = await startWith('UNCLAIMED')
    scene.bank.become(item.id, 'SUCCESS')
    expect(await scene.askUntilEnded(id)).toBe('paid')
    await scene.books.expectExact(scene.bank)
  })

  it('is returned has failed, and the next payout takes it up', async () => {
    const { id, item, other } = await startWith('UNCLAIMED')
    scene.bank.become(item.id, 'RETURNED')
    expect(await scene.askUntilEnded(id)).toBe('partially_paid')
    await scene.books.expectExact(scene.bank)
    expect(await nextPayout()).toEqual([[other.affiliateId, other.minor]])
  })

  const cancel = (payoutId: number, itemId: number) =>
    cancelItem(scene.database.db, scene.rails, scene.accountId, payoutId, itemId)

  it('is taken back is canceled, and stays so', async () => {
    const { id, item, other } = await startWith('UNCLAIMED')
    await cancel(id, item.id)
    expect(await scene.books.status(id)).toBe('partially_paid')
    expect(await itemNow(item)).toMatchObject({ status: 'canceled' })
    await expect(cancel(id, item.id)).rejects.toThrow('can be canceled individually')
    await scene.ask()
    await scene.books.expectExact(scene.bank)
    expect(await nextPayout()).toEqual([[other.affiliateId, other.minor]])
  })

  it('was claimed before it could be taken back is paid', async () => {
    const { id, item } = await startWith('UNCLAIMED')
    scene.bank.become(item.id, 'SUCCESS')
    await expect(cancel(id, item.id)).rejects.toThrow('PayPal did not cancel the payment: it is paid.')
    expect(await scene.books.status(id)).toBe('paid')
    await scene.books.expectExact(scene.bank)
  })

  it.each(Object.entries({ 'no answer': faults.hangAfter, '500': faults.answerAfter(500) }))(
    'was taken back without our knowing (%s) is not paid',
    async (_, fault) => {
      const { id, item, other } = await startWith('UNCLAIMED')
      scene.rails = scene.openRails(HURRIED_MS)
      scene.paypal.next('cancel', fault)
      await cancel(id, item.id).catch(() => undefined)
      expect(await scene.askUntilEnded(id)).toBe('partially_paid')
      await scene.books.expectExact(scene.bank)
      expect(await nextPayout()).toEqual([[other.affiliateId, other.minor]])
    },
  )
})

describe('PayPal changes the outcome later:', () => {
  it.each(['REVERSED', 'REFUNDED', 'RETURNED', 'FAILED', 'BLOCKED'])('paid, then %s', async status => {
    const { id, item, other } = await startWith('SUCCESS')
    scene.bank.become(item.id, status, PROBLEM)
    for (let polls = 0; polls < 5; polls++) await scene.ask()
    await Promise.all(Array.from({ length: 4 }, () => scene.ask()))
    expect(await scene.books.corrections()).toEqual([other.minor])
    expect(await itemNow(item)).toMatchObject({ status: 'paid', reason: PROBLEM.message, booked_minor: 0 })
    expect(await scene.books.status(id)).toBe('paid')
    await scene.books.expectExact(scene.bank)
    expect(await nextPayout()).toEqual([[other.affiliateId, other.minor]])
  })

  it('failed, then paid after all: the next payout pays it no second time', async () => {
    const { id, item, other } = await startWith('FAILED')
    scene.bank.become(item.id, 'SUCCESS')
    for (let polls = 0; polls < 5; polls++) await scene.ask()
    expect(await scene.books.corrections()).toEqual([-other.minor])
    expect(await scene.books.status(id)).toBe('partially_paid')
    await scene.books.expectExact(scene.bank)
    expect(await nextPayout()).toBeUndefined()
  })

  it('failed, taken up by the next payout, then paid after all: the one after that makes up for it', async () => {
    const { item, other } = await startWith('FAILED')
    scene.bank.plan(other.receiver, 'SUCCESS')
    const next = await scene.start()
    expect(await scene.askUntilEnded(next)).toBe('paid')
    scene.bank.become(item.id, 'SUCCESS')
    await scene.ask()
    expect(await scene.books.corrections()).toEqual([-other.minor])
    await scene.books.expectExact(scene.bank)
  })

  it('what came back and is paid again may come back again', async () => {
    const { item, other } = await startWith('SUCCESS')
    scene.bank.become(item.id, 'REVERSED')
    await scene.ask()
    const next = await scene.start()
    expect(await scene.askUntilEnded(next)).toBe('paid')
    const [again] = await scene.books.items(next)
    scene.bank.become(again?.id as number, 'REVERSED')
    await scene.ask()
    await scene.ask()
    expect(await scene.books.corrections()).toEqual([other.minor, other.minor])
    await scene.books.expectExact(scene.bank)
  })

  it('what came back is neither paid nor earned a second time', async () => {
    const { item, other } = await startWith('SUCCESS')
    const { affiliateId, minor } = other
    expect(await sumsOf(other)).toEqual({ earned: minor, payable: 0, paid: minor })
    scene.bank.become(item.id, 'RETURNED')
    await scene.ask()
    expect(await sumsOf(other)).toEqual({ earned: minor, payable: minor, paid: 0 })
    scene.bank.plan(other.receiver, 'SUCCESS')
    expect(await nextPayout()).toEqual([[affiliateId, minor]])
    const [, next] = await scene.books.payouts()
    await submitPayout(scene.database.db, secrets, scene.accountId, next?.id as number)
    expect(await scene.askUntilEnded(next?.id as number)).toBe('paid')
    expect(await sumsOf(other)).toEqual({ earned: minor, payable: 0, paid: minor })
  })

  it('what was paid after all is paid, and earned as it was', async () => {
    const { item, other } = await startWith('FAILED')
    expect(await sumsOf(other)).toEqual({ earned: other.minor, payable: other.minor, paid: 0 })
    scene.bank.become(item.id, 'SUCCESS')
    await scene.ask()
    expect(await sumsOf(other)).toEqual({ earned: other.minor, payable: 0, paid: other.minor })
  })

  it.each([
    ['SUCCESS', ['REVERSED', 'SUCCESS']],
    ['FAILED', ['SUCCESS', 'REVERSED']],
  ])('%s, then %j, each received: what is booked is what was paid', async (first, later) => {
    const { item, other } = await startWith(first)
    for (const status of later) {
      scene.bank.become(item.id, status)
      await scene.ask()
    }
    const paid = later.at(-1) === 'SUCCESS' ? other.minor : 0
    expect(await itemNow(item)).toMatchObject({ booked_minor: paid })
  })

  it('between hearing and booking: the ledger ends where PayPal does', async () => {
    const { item } = await startWith('UNCLAIMED')
    scene.bank.become(item.id, 'SUCCESS')
    await scene.database.owner.query(`UPDATE payout_items SET outcome = 'paid' WHERE id = $1`, [item.id])
    scene.bank.become(item.id, 'REVERSED')
    await scene.ask()
    await settleAllPayouts(scene.database.db)
    await scene.ask()
    await scene.ask()
    await scene.books.expectExact(scene.bank)
  })
})

it('settling again and again, by many at once, books nothing twice', async () => {
  const { id } = await startWith('FAILED')
  await Promise.all(Array.from({ length: 8 }, () => settlePayout(scene.database.db, scene.accountId, id)))
  await settleAllPayouts(scene.database.db)
  await scene.books.expectExact(scene.bank)
})
