/** Protects exactly-once over a rail that fails in every way: what PayPal paid is what the ledger says, and nothing is paid twice. */
import { describe, expect, it } from 'vitest'
import { type Fault, faults, type Operation, silent } from '../../../testing/fake-paypal.ts'
import { processSubmissions } from '../../src/money/payouts/process-submissions.ts'
import { submitPayout } from '../../src/money/payouts/submit-payout.ts'
import { type Earner, HURRIED_MS, secrets, useRail } from './rail-scene.ts'

const scene = useRail()
const EARNERS = 3

/** A payout that ended well after all, with each of its earners paid once. */
async function expectPaid(payoutId: number, earners: Earner[]): Promise<void> {
  expect(await scene.askUntilEnded(payoutId)).toBe('paid')
  const paid = [...scene.bank.paid().values()].map(({ minor }) => minor)
  expect(paid).toEqual(earners.map(({ minor }) => minor))
  expect((await scene.books.items()).map(({ status, reason }) => [status, reason])).toEqual(
    earners.map(() => ['paid', null]),
  )
  await scene.books.expectExact(scene.bank)
}

/** A payout of which nothing was paid: no event is sent, the reason is stored, and the next payout includes all of it. */
async function expectTakenUpAgain(payoutId: number, earners: Earner[], reason: RegExp): Promise<void> {
  const items = await scene.books.items(payoutId)
  expect(items.map(item => item.reason)).toEqual(items.map(() => expect.stringMatching(reason)))
  expect(scene.bank.movements).toEqual([])
  await scene.books.expectExact(scene.bank)
  scene.bank.outcome = { batch: 'SUCCESS', items: 'SUCCESS' }
  const next = await scene.start()
  expect(await scene.askUntilEnded(next)).toBe('paid')
  expect(
    (await scene.books.items(next)).map(({ affiliate_id, amount_minor }) => [affiliate_id, amount_minor]),
  ).toEqual(earners.map(({ affiliateId, minor }) => [affiliateId, minor]))
  await scene.books.expectExact(scene.bank)
}

it('without any fault there is one call, one batch and one payment each', async () => {
  const earners = await scene.earners(EARNERS)
  const id = await scene.start()
  await expectPaid(id, earners)
  expect([scene.paypal.count('token'), scene.paypal.count('submit')]).toEqual([1, 1])
  expect((await scene.books.items()).map(({ reference }) => reference)).toEqual(
    scene.bank.items().map(item => `T${item.id}`),
  )
})

const passing: [string, Fault][] = [
  ['reset before it was read', faults.resetBefore],
  ['reset after it was carried out', faults.resetAfter],
  ['no answer', faults.hangBefore],
  ['no answer, though carried out', faults.hangAfter],
  ...[500, 502, 503].flatMap((status): [string, Fault][] => [
    [`${status}`, faults.answerBefore(status)],
    [`${status}, though carried out`, faults.answerAfter(status)],
  ]),
  ['a page instead of JSON', faults.htmlInsteadBefore(502)],
  ['a page that says 200', faults.htmlInsteadBefore(200)],
  ['a page that says 200, though carried out', faults.htmlInsteadAfter(200)],
  ['a proxy that waited too long, though carried out', faults.htmlInsteadAfter(408)],
  ['null, though carried out', faults.answerAfter(200, null)],
  ['an expired token', faults.answerBefore(401, { error: 'invalid_token' })],
  ['429', faults.answerBefore(429, { name: 'RATE_LIMIT_REACHED' })],
]

describe.each(['submit', 'poll'] as Operation[])('%s meets', operation => {
  it.each(passing)('%s', async (_, fault) => {
    const earners = await scene.earners(EARNERS)
    const id = await scene.start()
    if (silent.has(fault)) scene.rails = scene.openRails(HURRIED_MS)
    scene.paypal.next(operation, fault)
    await expectPaid(id, earners)
    expect(scene.bank.batches.size).toBe(1)
  })

  it('the same three times in a row', async () => {
    const earners = await scene.earners(EARNERS)
    const id = await scene.start()
    scene.rails = scene.openRails(HURRIED_MS)
    scene.paypal.next(operation, faults.resetAfter, faults.answerAfter(500), faults.hangAfter)
    await expectPaid(id, earners)
  })
})

const notSignedIn: [string, Fault][] = [
  ['no answer', faults.hangBefore],
  ['503', faults.answerBefore(503)],
  ['a page', faults.htmlInsteadBefore(200)],
]
it.each(notSignedIn)('signing in meets %s', async (_, fault) => {
  const earners = await scene.earners(EARNERS)
  const id = await scene.start()
  if (silent.has(fault)) scene.rails = scene.openRails(HURRIED_MS)
  scene.paypal.next('token', fault)
  await scene.ask()
  // Nothing was sent, so nothing may have been taken.
  expect(await scene.books.submissions()).toMatchObject([{ status: 'intended', maybe_sent_at: null }])
  await expectPaid(id, earners)
})

it.each(['before anything was sent', 'after it was taken'])(
  'a PayPal that is out of reach %s',
  async moment => {
    const earners = await scene.earners(EARNERS)
    const id = await scene.start()
    if (moment.startsWith('after')) {
      scene.paypal.next('submit', faults.resetAfter)
      await scene.ask()
    }
    await scene.paypal.refuse()
    await scene.ask()
    expect(await scene.books.submissions()).toMatchObject([
      { status: 'intended', problem: expect.stringContaining('ECONNREFUSED') },
    ])
    await scene.paypal.accept()
    await expectPaid(id, earners)
  },
)

describe('a batch that PayPal refuses', () => {
  const refusals: [number, string][] = [
    [403, 'INSUFFICIENT_FUNDS'],
    [422, 'INSUFFICIENT_FUNDS'],
    [403, 'SENDER_RESTRICTED'],
    [400, 'NON_HOLDING_CURRENCY'],
  ]
  it.each(refusals)('with %i %s has failed, and the next one takes its place', async (status, name) => {
    const earners = await scene.earners(EARNERS)
    const id = await scene.start()
    scene.paypal.next('submit', faults.answerBefore(status, { name, message: 'Not today.' }))
    expect(await scene.askUntilEnded(id)).toBe('failed')
    expect(await scene.books.submissions()).toMatchObject([{ status: 'refused', due_at: null }])
    await expectTakenUpAgain(id, earners, new RegExp(`HTTP ${status} \\(${name}, Not today\\.\\)`))
  })

  it.each([
    ['DENIED', 'FAILED', 'failed'],
    ['DENIED', undefined, 'failed'],
    ['CANCELED', undefined, 'canceled'],
  ] as const)('afterwards (%s, its items %s) is %s', async (batch, items, status) => {
    const earners = await scene.earners(EARNERS)
    const id = await scene.start()
    scene.bank.outcome = { batch, items }
    expect(await scene.askUntilEnded(id)).toBe(status)
    await expectTakenUpAgain(id, earners, /^PayPal says /)
  })

  it.each([1, 9])('for some of its items, named %i at a time, is sent with the rest', async namedAtOnce => {
    const [first, second, third, fourth] = (await scene.earners(4)) as [Earner, Earner, Earner, Earner]
    scene.bank.refused.add(second.receiver).add(fourth.receiver)
    scene.bank.namedAtOnce = namedAtOnce
    const id = await scene.start()
    expect(await scene.askUntilEnded(id)).toBe('partially_paid')
    const invalid = expect.stringContaining('Receiver is invalid')
    expect(await scene.books.items()).toMatchObject([
      { affiliate_id: first.affiliateId, status: 'paid', reason: null },
      { affiliate_id: second.affiliateId, status: 'failed', reason: invalid },
      { affiliate_id: third.affiliateId, status: 'paid', reason: null },
      { affiliate_id: fourth.affiliateId, status: 'failed', reason: invalid },
    ])
    await scene.books.expectExact(scene.bank)
    scene.bank.refused.clear()
    const next = await scene.start()
    expect(await scene.askUntilEnded(next)).toBe('paid')
    expect(await scene.books.items(next)).toMatchObject([
      { affiliate_id: second.affiliateId, amount_minor: second.minor },
      { affiliate_id: fourth.affiliateId, amount_minor: fourth.minor },
    ])
    await scene.books.expectExact(scene.bank)
  })

  it('for every item has failed', async () => {
    const earners = await scene.earners(2)
    for (const { receiver } of earners) scene.bank.refused.add(receiver)
    const id = await scene.start()
    expect(await scene.askUntilEnded(id)).toBe('failed')
    scene.bank.refused.clear()
    await expectTakenUpAgain(id, earners, /Receiver is invalid/)
  })
})

it('two processes that ask at once make one call for each batch', async () => {
  const earners = await scene.earners(EARNERS)
  const id = await scene.start()
  const other = scene.openRails()
  for (let round = 0; round < 3; round++) {
    await scene.books.passTime()
    await Promise.all([scene.rails, other].map(rails => processSubmissions(scene.database.db, rails)))
  }
  expect(scene.paypal.count('submit')).toBe(1)
  await expectPaid(id, earners)
})

it('handing it over twice at once sends it once', async () => {
  const earners = await scene.earners(EARNERS)
  const id = await scene.create()
  const handOver = () => submitPayout(scene.database.db, secrets, scene.accountId, id)
  const ends = await Promise.allSettled([handOver(), handOver(), handOver()])
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await scene.books.submissions()).toHaveLength(1)
  await expectPaid(id, earners)
})
