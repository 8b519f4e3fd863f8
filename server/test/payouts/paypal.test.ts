/** Protects the reading of PayPal's answers to a batch: none, and no lack of one, is taken for more or for less than it says. */
import { describe, expect, it } from 'vitest'
import { type Fault, faults, silent } from '../../../testing/fake-paypal.ts'
import { paypalPays } from '../../src/money/rails/paypal-status.ts'
import type { SubmitResponse } from '../../src/money/rails/rail.ts'
import { expectDiscreet, payment, payments, useRailAlone } from './rail-alone.ts'
import { CREDENTIALS } from './rail-scene.ts'

const scene = useRailAlone()

describe('a batch', () => {
  it('is sent with the id, the address and the exact amount of every item', async () => {
    const items = [
      payment(1, { amount_minor: 5 }),
      payment(2, { amount_minor: 123_456 }),
      payment(3, { amount_minor: 100, currency: 'EUR' }),
      payment(4, { amount_minor: 9_007_199_254_740_991, currency: 'JPY' }),
    ]
    expect(await scene.submit(items)).toEqual({ kind: 'accepted', externalId: expect.any(String) })
    expect(scene.bank.items()).toMatchObject([
      { senderItemId: '1', receiver: 'receiver-1@example.com', value: '0.05', currency: 'USD' },
      { senderItemId: '2', value: '1234.56', currency: 'USD' },
      { senderItemId: '3', value: '1.00', currency: 'EUR' },
      { senderItemId: '4', value: '9007199254740991', currency: 'JPY' },
    ])
    expect([...scene.bank.batches.values()]).toMatchObject([{ senderBatchId: 'T1-1-abcdefgh' }])
  })

  it.each([
    ['USD', true],
    ['JPY', true],
    ['KWD', false],
    ['HUF', false],
    ['TWD', false],
    ['XAU', false],
  ])('in %s: %s', (currency, isPaid) => {
    expect(paypalPays(currency)).toBe(isPaid)
  })

  it('that PayPal knows already, sent again under its name, is what it was', async () => {
    const externalId = await scene.accepted()
    expect(await scene.submit()).toEqual({ kind: 'accepted', externalId })
    scene.bank.linkIn = 'answer'
    expect(await scene.submit()).toEqual({ kind: 'accepted', externalId })
    expect(scene.bank.items()).toHaveLength(3)
  })

  it('that PayPal has already accepted, without returning its id, is unidentified', async () => {
    await scene.accepted()
    scene.bank.linkIn = 'nowhere'
    expect(await scene.submit()).toMatchObject({
      kind: 'unidentified',
      reason: expect.stringContaining('already exists'),
    })
  })

  it('with wrong items is declined, with a reason for each of them', async () => {
    scene.bank.refused.add('receiver-2@example.com').add('receiver-4@example.com')
    const answer = await scene.submit(payments(5).toReversed())
    expect(answer).toMatchObject({
      kind: 'declined',
      reason: expect.stringMatching(
        /^PayPal responded with HTTP 400 \(VALIDATION_ERROR, .*items\[1\]\.receiver: Receiver is invalid/,
      ),
    })
    expect(answer).toHaveProperty(
      'itemReasons',
      new Map([4, 2].map(id => [id, 'Receiver is invalid or does not match with type'])),
    )
    expect(scene.bank.movements).toEqual([])
  })

  it('that is too large is declined as a whole', async () => {
    expect(await scene.submit(payments(15_001))).toMatchObject({ kind: 'declined', itemReasons: new Map() })
  })
})

describe('an answer to a batch', () => {
  const json = (status: number, name: string) => faults.answerBefore(status, { name, message: 'As it says' })
  const answers: [string, Fault, SubmitResponse['kind'], RegExp][] = [
    ['reset before it was read', faults.resetBefore, 'unknown', /request failed/],
    ['reset after it was carried out', faults.resetAfter, 'unknown', /request failed/],
    ['no answer', faults.hangBefore, 'unknown', /request failed: .*timeout/i],
    ['no answer, though carried out', faults.hangAfter, 'unknown', /request failed: .*timeout/i],
    ['an answer without an end', faults.dripAfter, 'unknown', /request failed/],
    ['500', json(500, 'INTERNAL_ERROR'), 'unknown', /HTTP 500 \(INTERNAL_ERROR, As it says\)/],
    ['502', faults.htmlInsteadBefore(502), 'unknown', /HTTP 502$/],
    ['503', json(503, 'SERVICE_UNAVAILABLE'), 'unknown', /HTTP 503/],
    ['a page, though carried out', faults.htmlInsteadAfter(200), 'unknown', /HTTP 200$/],
    ['null', faults.answerAfter(201, null), 'unknown', /HTTP 201$/],
    ['another form', faults.answerAfter(201, { batch_header: [] }), 'unknown', /HTTP 201$/],
    ['a redirect', faults.htmlInsteadBefore(302), 'unknown', /HTTP 302$/],
    ['a proxy that waited too long', faults.htmlInsteadAfter(408), 'unknown', /HTTP 408$/],
    ['429', json(429, 'RATE_LIMIT_REACHED'), 'busy', /HTTP 429 \(RATE_LIMIT_REACHED/],
    ['403', json(403, 'SENDER_RESTRICTED'), 'declined', /HTTP 403 \(SENDER_RESTRICTED/],
    ['422', json(422, 'INSUFFICIENT_FUNDS'), 'declined', /HTTP 422 \(INSUFFICIENT_FUNDS/],
    ['400 without details', json(400, 'NON_HOLDING_CURRENCY'), 'declined', /NON_HOLDING_CURRENCY/],
  ]
  it.each(answers)(
    '%s',
    async (_, fault, kind, reason) => {
      if (silent.has(fault)) await scene.hurry()
      scene.paypal.next('submit', fault)
      const answer = await scene.submit()
      expect(answer).toMatchObject({ kind, reason: expect.stringMatching(reason) })
      expectDiscreet(JSON.stringify(answer))
    },
    5_000,
  )

  it('refused while signing in: nothing was sent', async () => {
    await scene.paypal.refuse()
    const answer = await scene.submit()
    expect(answer).toMatchObject({ kind: 'busy', reason: expect.stringContaining('ECONNREFUSED') })
  })

  it('refused after that: at least it was not declined', async () => {
    await scene.submit(payments(1), 'another')
    await scene.paypal.refuse()
    const { kind } = await scene.submit()
    expect(['busy', 'unknown']).toContain(kind)
  })
})

describe('signing in', () => {
  it('happens once for many calls', async () => {
    const externalId = await scene.accepted()
    await scene.pages(externalId)
    await scene.submit(payments(1), 'another')
    expect(scene.paypal.count('token')).toBe(1)
    expect(scene.paypal.asked[0]).toMatchObject({ body: 'grant_type=client_credentials' })
  })

  it('happens again before a token ends', async () => {
    scene.bank.expiresIn = 60
    const externalId = await scene.accepted()
    await scene.pages(externalId)
    expect(scene.paypal.count('token')).toBe(2)
  })

  it('happens again where a token ended early, and the call is made again', async () => {
    const externalId = await scene.accepted()
    scene.bank.endTokens()
    expect((await scene.pages(externalId)).flat()).toHaveLength(3)
    scene.bank.endTokens()
    expect(await scene.submit(payments(2), 'another')).toMatchObject({ kind: 'accepted' })
    expect([scene.paypal.count('token'), scene.bank.items().length]).toEqual([3, 5])
  })

  it('that helps nothing ends: nothing was sent', async () => {
    scene.paypal.next('submit', faults.answerBefore(401, { error: 'invalid_token' }))
    scene.paypal.next('submit', faults.answerBefore(401, { error: 'invalid_token' }))
    expect(await scene.submit()).toMatchObject({
      kind: 'busy',
      reason: expect.stringContaining('access token'),
    })
    expect(scene.paypal.count('submit')).toBe(2)
  })

  const failures: [string, Fault][] = [
    ['reset', faults.resetBefore],
    ['no answer', faults.hangBefore],
    ['500', faults.answerBefore(500)],
    ['429', faults.answerBefore(429, { name: 'RATE_LIMIT_REACHED' })],
    ['a page', faults.htmlInsteadBefore(200)],
    ['null', faults.answerBefore(200, null)],
  ]
  it.each(failures)('%s: nothing was sent', async (_, fault) => {
    if (silent.has(fault)) await scene.hurry()
    scene.paypal.next('token', fault)
    const answer = await scene.submit()
    expect(answer).toMatchObject({ kind: 'busy' })
    expectDiscreet(JSON.stringify(answer))
    expect(scene.paypal.count('submit')).toBe(0)
    expect(await scene.submit()).toMatchObject({ kind: 'accepted' })
  })

  it('with wrong credentials: nothing was sent, and the text does not hold them', async () => {
    scene.bank.clients.set(CREDENTIALS.clientId, 'changed meanwhile')
    const answer = await scene.submit()
    expect(answer).toEqual({
      kind: 'busy',
      reason: 'The PayPal request failed: PayPal rejected the credentials',
    })
    await expect(scene.pages('any')).rejects.toThrow('PayPal rejected the credentials')
    expectDiscreet(JSON.stringify(answer))
  })
})
