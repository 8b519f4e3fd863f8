import { afterEach, beforeEach, expect } from 'vitest'
import { FakePayPal } from '../../../testing/fake-paypal.ts'
import type { FakeBank } from '../../../testing/fake-paypal-bank.ts'
import { PayPalRail } from '../../src/money/rails/paypal.ts'
import type { ItemReport, RailItem, SubmitResponse } from '../../src/money/rails/rail.ts'
import { CREDENTIALS, HURRIED_MS, PATIENT_MS } from './rail-scene.ts'

export interface RailAlone {
  paypal: FakePayPal
  bank: FakeBank
  rail: PayPalRail
  /** From now on, calls without a response time out quickly. */
  hurry(): Promise<void>
  submit(items?: RailItem[], senderBatchId?: string): Promise<SubmitResponse>
  /** Submits a batch that PayPal accepts, and returns its id. */
  accepted(items?: RailItem[]): Promise<string>
  /** PayPal's report on a batch, by page. */
  pages(externalId: string): Promise<ItemReport[][]>
}

export const payment = (id: number, overrides: Partial<RailItem> = {}): RailItem => ({
  id,
  address: `receiver-${id}@example.com`,
  amount_minor: 1000 + id,
  currency: 'USD',
  ...overrides,
})
export const payments = (count: number) => Array.from({ length: count }, (_, index) => payment(index + 1))

/** Only the rail and a fake PayPal, new for each test. */
export function useRailAlone(): RailAlone {
  const scene = {} as RailAlone
  beforeEach(async () => {
    const paypal = await FakePayPal.start()
    const rail = new PayPalRail(paypal.url, CREDENTIALS, PATIENT_MS)
    Object.assign(scene, { paypal, bank: paypal.bank, rail })
  })
  afterEach(async () => {
    await scene.rail.close()
    await scene.paypal.refuse()
  })
  scene.hurry = async () => {
    await scene.rail.close()
    scene.rail = new PayPalRail(scene.paypal.url, CREDENTIALS, HURRIED_MS)
  }
  scene.submit = (items = payments(3), senderBatchId = 'T1-1-abcdefgh') =>
    scene.rail.submit({ senderBatchId, items })
  scene.accepted = async items => {
    const answer = await scene.submit(items)
    if (answer.kind !== 'accepted') throw new Error(`The batch is ${answer.kind}: ${answer.reason}`)
    return answer.externalId
  }
  scene.pages = async externalId => {
    const pages: ItemReport[][] = []
    for await (const page of scene.rail.poll(externalId)) pages.push(page)
    return pages
  }
  return scene
}

/** Secrets, in every encoding that they are sent in. */
const sensitive = [
  CREDENTIALS.clientSecret,
  Buffer.from(`${CREDENTIALS.clientId}:${CREDENTIALS.clientSecret}`).toString('base64'),
  'A21AA',
]
export function expectDiscreet(text: string): void {
  for (const secret of sensitive) expect(text).not.toContain(secret)
}
