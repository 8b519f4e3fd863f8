/** PayPal's item reports are read correctly: every status, every page, and the outcome of a canceled item. */
import { describe, expect, it } from 'vitest'
import { type Fault, faults, silent } from '../../../testing/fake-paypal.ts'
import type { ItemReport } from '../../src/money/rails/rail.ts'
import { expectDiscreet, payment, payments, useRailAlone } from './rail-alone.ts'

const scene = useRailAlone()

describe('an item', () => {
  const outcomes: [string, ItemReport['outcome']][] = [
    ['SUCCESS', 'paid'],
    ['FAILED', 'failed'],
    ['PENDING', null],
    ['UNCLAIMED', null],
    ['RETURNED', 'failed'],
    ['ONHOLD', null],
    ['BLOCKED', 'failed'],
    ['REFUNDED', 'failed'],
    ['REVERSED', 'failed'],
    ['SOMETHING_NEW', null],
    ['', null],
  ]
  it.each(outcomes)('that is %s', async (status, outcome) => {
    scene.bank.plan('receiver-7@example.com', status)
    const reports = (await scene.pages(await scene.accepted([payment(7)]))).flat()
    expect(reports).toEqual([
      {
        itemId: 7,
        externalId: scene.bank.items()[0]?.id,
        outcome,
        reason: outcome === 'paid' ? null : `PayPal says ${status || 'nothing yet'}`,
        reference: status ? `T${scene.bank.items()[0]?.id}` : null,
      },
    ])
  })

  it('that has a problem says which', async () => {
    scene.bank.plan('receiver-7@example.com', 'UNCLAIMED', {
      name: 'RECEIVER_UNREGISTERED',
      message: 'No account.',
    })
    expect((await scene.pages(await scene.accepted([payment(7)]))).flat()).toMatchObject([
      { reason: 'No account.' },
    ])
  })

  it.each([
    ['DENIED', 'failed'],
    ['CANCELED', 'canceled'],
  ] as const)('of a batch that is %s, where it says nothing itself', async (batch, outcome) => {
    scene.bank.outcome = { batch, items: undefined }
    scene.bank.plan('receiver-2@example.com', 'FAILED')
    const reports = (await scene.pages(await scene.accepted())).flat()
    expect(reports.map(report => report.outcome)).toEqual([outcome, 'failed', outcome])
  })

  it('may be on any page: all pages are read', async () => {
    const pages = await scene.pages(await scene.accepted(payments(2500)))
    expect(pages.map(page => page.length)).toEqual([1000, 1000, 500])
    expect(pages.flat().map(({ itemId }) => itemId)).toEqual(payments(2500).map(({ id }) => id))
  })

  const failures: [string, Fault, RegExp][] = [
    [
      '404',
      faults.answerBefore(404, { name: 'INVALID_RESOURCE_ID', message: 'Not found.' }),
      /HTTP 404 \(INVALID_RESOURCE_ID/,
    ],
    ['500', faults.answerBefore(500), /HTTP 500/],
    ['a page', faults.htmlInsteadBefore(200), /HTTP 200/],
    ['null', faults.answerBefore(200, null), /HTTP 200/],
    ['reset', faults.resetBefore, /./],
    ['no answer', faults.hangBefore, /timeout/i],
  ]
  it.each(failures)('cannot be asked about: %s', async (_, fault, message) => {
    if (silent.has(fault)) await scene.hurry()
    const externalId = await scene.accepted()
    scene.paypal.next('poll', fault)
    const problem: Error = await scene.pages(externalId).then(
      () => new Error('It was answered.'),
      error => error,
    )
    expect(problem.message).toMatch(message)
    // A TypeError would be a fault of the program; this is one of PayPal.
    expect(problem).not.toBeInstanceOf(TypeError)
    expectDiscreet(`${problem.stack}`)
  })
})

describe('taking an item back', () => {
  it.each([
    ['UNCLAIMED', 'canceled', 0],
    ['SUCCESS', 'paid', 1],
    ['FAILED', 'failed', 1],
    ['RETURNED', 'failed', 1],
  ])('that is %s: %s', async (status, outcome, reads) => {
    scene.bank.plan('receiver-7@example.com', status)
    await scene.accepted([payment(7)])
    expect(await scene.rail.cancel(scene.bank.items()[0]?.id as string)).toMatchObject({ itemId: 7, outcome })
    expect(scene.paypal.count('item')).toBe(reads)
  })

  it('that does not exist, or while PayPal is down, throws', async () => {
    await expect(scene.rail.cancel('UNKNOWN')).rejects.toThrow('HTTP 404')
    scene.paypal.next('cancel', faults.answerBefore(500))
    scene.paypal.next('item', faults.answerBefore(503))
    await expect(scene.rail.cancel('UNKNOWN')).rejects.toThrow('HTTP 503')
  })
})
