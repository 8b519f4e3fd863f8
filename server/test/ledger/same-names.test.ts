/** Protects merchants who number alike: the same ids of sales and refunds in two accounts are two sales and two refunds. */
import { expect, it } from 'vitest'
import { TestClient } from '../client.ts'
import { buildAccount } from '../factories.ts'
import { useScene } from '../harness.ts'
import { earnOne, entriesOf, refund, short, winCustomer } from './scene.ts'

const scene = useScene()

it('order 1001 and its refund R-1 are taken in both accounts, each by its own amount', async () => {
  const account = await buildAccount(scene.database)
  const other = { ...scene, account, api: new TestClient(scene.app.url, account.key) }
  for (const [each, amount_minor, left] of [
    [other, 10_000, 1500],
    [scene, 20_000, 3000],
  ] as const) {
    const won = await winCustomer(each)
    await earnOne(each, won, amount_minor, { external_id: '1001' })
    const body = { external_id: 'R-1', sale_external_id: '1001', amount_minor: amount_minor / 4 }
    expect((await refund(each.api, body)).status).toBe(201)
    expect((await refund(each.api, body)).status).toBe(200)
    const entries = (await entriesOf(each, won.referralId)).map(short)
    expect(entries.map(([type, , status]) => [type, status])).toEqual([
      ['earned', 'approved'],
      ['clawback', 'approved'],
    ])
    expect(entries.reduce((sum, [, minor]) => sum + Number(minor), 0)).toBe(left)
  }
})
