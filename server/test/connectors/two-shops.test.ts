/**
 * Protects an account with several shops that number their orders and customers from 1: each order and refund belongs to its own shop, and a
 * customer of one is not taken for a customer of the other. A shop that is connected again goes on where it was.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import { listConnectors } from '../../src/connectors/connector.store.ts'
import { addConnector, endConnector } from '../../src/connectors/manage-connectors.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { type Delivered, providers } from './provider-deliveries.ts'
import { type Billing, connectBilling, deliver, earnedBySale, events, work } from './scene.ts'

const scene = useOwnScene()
beforeEach(async () => {
  const { database, account } = scene
  for (const { id } of await listConnectors(database.db, account.id))
    await endConnector(database.db, account.id, id)
})

const numbered = providers.filter(({ name }) => name === 'woocommerce' || name === 'custom')

describe.each(numbered)('$name', ({ name: provider, mapping, deliveries, sign }) => {
  const connect = (name?: string) =>
    connectBilling(scene, { provider, signingSecret: 'secret', mapping, name })
  const send = async ({ connector }: Billing, { body, headers = {} }: Delivered) => {
    const text = JSON.stringify(body)
    const path = `/connect/${provider}/${connector.id}`
    const all = { ...headers, ...sign(text, 'secret') }
    expect((await deliver(scene, connector, text, all, path)).status).toBe(200)
    await work(scene)
  }

  it('settles the same order numbers of two shops apart', async () => {
    const [first, second] = [await connect(), await connect('eu')]
    const order = 1001
    const ofFirst = deliveries(order, first.affiliate.token)
    const ofSecond = deliveries(order, second.affiliate.token)
    await send(first, ofFirst.sale)
    await send(second, ofSecond.sale)
    await send(second, ofSecond.refund)
    const idInSecond = ofSecond.saleId.replace(`${provider}:`, `${provider}-eu:`)
    expect(await earnedBySale(scene, first)).toEqual({ [ofFirst.saleId]: 2000 })
    expect(await earnedBySale(scene, second)).toEqual({ [idInSecond]: 1500 })
    await send(first, ofFirst.refund)
    expect(await earnedBySale(scene, first)).toEqual({ [ofFirst.saleId]: 1500 })
    expect(await earnedBySale(scene, second)).toEqual({ [idInSecond]: 1500 })
    for (const billing of [first, second])
      expect((await events(scene, billing)).map(({ status }) => status)).toEqual(['applied', 'applied'])
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('goes on where it was if a shop is connected again under its name', async () => {
    await connect()
    const before = await connect('us')
    const { sale, refund, saleId } = deliveries(1002, before.affiliate.token)
    await send(before, sale)
    await endConnector(scene.database.db, scene.account.id, before.connector.id)
    const again = await connect('us')
    await send(again, sale)
    await send(again, refund)
    const id = saleId.replace(`${provider}:`, `${provider}-us:`)
    expect(await earnedBySale(scene, before)).toEqual({ [id]: 1500 })
    expect(await earnedBySale(scene, again)).toEqual({})
  })

  it('takes no order of another shop for its own that was connected under its name before', async () => {
    const before = await connect()
    const { sale, refund, saleId } = deliveries(1003, before.affiliate.token)
    await send(before, sale)
    await endConnector(scene.database.db, scene.account.id, before.connector.id)
    const other = await connect()
    const bodyOf = ({ body }: Delivered) => ({ ...body, total: '60.00', net: 50 })
    await send(other, { ...sale, body: bodyOf(sale) })
    if (provider === 'woocommerce') await send(other, { ...refund, body: bodyOf(refund) })
    for (const { status, reason } of await events(scene, other))
      expect([status, reason]).toEqual(['failed', expect.stringContaining('under a new name')])
    expect(await earnedBySale(scene, before)).toEqual({ [saleId]: 2000 })
  })

  it('knows its orders if it is connected again with another base of commissions', async () => {
    const before = await connect()
    const { sale, refund, saleId } = deliveries(1004, before.affiliate.token)
    await send(before, sale)
    await endConnector(scene.database.db, scene.account.id, before.connector.id)
    const again = await connectBilling(scene, { provider, signingSecret: 'secret', mapping, base: 'gross' })
    await send(again, sale)
    await send(again, refund)
    expect(await earnedBySale(scene, before)).toEqual({ [saleId]: 1500 })
    expect((await events(scene, again)).map(({ status }) => status)).toEqual(['applied', 'applied'])
  })

  it('has one connector of each name, also of several added at once', async () => {
    const { database, account, app } = scene
    const add = (name?: string) =>
      addConnector(database.db, app.services.secrets, account.id, { provider, signingSecret: 'secret', name })
    for (const name of [undefined, 'eu']) {
      const results = await Promise.allSettled([add(name), add(name), add(name)])
      const refused = results.filter(result => result.status === 'rejected')
      expect(refused).toHaveLength(2)
      expect(refused[0]?.reason).toMatchObject({ code: 'conflict' })
    }
    const [first] = await listConnectors(database.db, account.id)
    await endConnector(database.db, account.id, first?.id as number)
    await expect(add()).resolves.toMatchObject({ provider, name: null })
  })

  it.each(['', 'EU', 'a b', '-eu', 'x'.repeat(33), 'eu\n'])('refuses the name %j', async name => {
    const { database, account, app } = scene
    const adding = async () => addConnector(database.db, app.services.secrets, account.id, { provider, name })
    await expect(adding()).rejects.toMatchObject({ code: 'validation_failed' })
  })
})

it.each(['stripe', 'paddle', 'lemonsqueezy', 'shopify'])(
  'takes no name for %s, whose IDs are unique',
  async provider => {
    const { database, account, app } = scene
    const adding = async () =>
      addConnector(database.db, app.services.secrets, account.id, { provider, name: 'eu' })
    await expect(adding()).rejects.toMatchObject({ code: 'validation_failed' })
  },
)
