import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json, text } from 'node:stream/consumers'

interface Batch {
  sender_batch_header: { sender_batch_id: string }
  items: {
    receiver: string
    sender_item_id: string
    amount: { value: string; currency: string }
  }[]
}

/**
 * As much of PayPal as a payout meets where PayPal itself is well: it signs in, hands a batch over, and asks until every item is
 * paid. A batch of a name that it knows already is refused, with a link to the first one.
 */
export class FakePayPal {
  readonly credentials: { clientId: string; clientSecret: string }
  /** What was accepted, by PayPal's own names. */
  readonly batches = new Map<string, Batch>()
  readonly #server: Server = createServer((request, response) => {
    this.#answer(request).then(
      ([status, body]) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      () => response.destroy(),
    )
  })

  private constructor(credentials: FakePayPal['credentials']) {
    this.credentials = credentials
  }

  static async start(credentials: FakePayPal['credentials']): Promise<FakePayPal> {
    const paypal = new FakePayPal(credentials)
    paypal.#server.listen(0, '127.0.0.1')
    await once(paypal.#server, 'listening')
    return paypal
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Of every item that was ever paid: how often, and how much in all. */
  paid(): Map<string, { times: number; minor: number }> {
    const paid = new Map<string, { times: number; minor: number }>()
    for (const { sender_item_id, amount } of [...this.batches.values()].flatMap(({ items }) => items)) {
      const before = paid.get(sender_item_id) ?? { times: 0, minor: 0 }
      const minor = before.minor + Number(amount.value.replace('.', ''))
      paid.set(sender_item_id, { times: before.times + 1, minor })
    }
    return paid
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage): Promise<[number, object]> {
    const { pathname } = new URL(request.url ?? '/', this.url)
    const { authorization } = request.headers
    if (pathname === '/v1/oauth2/token') {
      const { clientId, clientSecret } = this.credentials
      const expected = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
      await text(request)
      return authorization === expected ? [200, { access_token: 'A21', expires_in: 3600 }] : [401, {}]
    }
    if (authorization !== 'Bearer A21') return [401, {}]
    if (request.method === 'POST' && pathname === '/v1/payments/payouts') {
      const batch = (await json(request)) as Batch
      const { sender_batch_id: name } = batch.sender_batch_header
      const [known] =
        [...this.batches].find(([, { sender_batch_header: header }]) => header.sender_batch_id === name) ?? []
      if (known) return [400, repeated(`${this.url}/v1/payments/payouts/${known}`)]
      const id = `B${this.batches.size + 1}`
      this.batches.set(id, batch)
      return [201, { batch_header: { payout_batch_id: id, batch_status: 'PENDING' } }]
    }
    const id = pathname.replace('/v1/payments/payouts/', '')
    const batch = this.batches.get(id)
    return batch ? [200, paid(id, batch)] : [404, { name: 'RESOURCE_NOT_FOUND' }]
  }
}

const repeated = (href: string) => ({
  name: 'USER_BUSINESS_ERROR',
  message: 'User business error.',
  details: [
    {
      field: 'SENDER_BATCH_ID',
      location: 'body',
      issue: 'Batch with given sender_batch_id already exists',
      link: [{ href, rel: 'self', method: 'GET' }],
    },
  ],
})

const paid = (id: string, { items }: Batch) => ({
  total_pages: 1,
  batch_header: { payout_batch_id: id, batch_status: 'SUCCESS' },
  items: items.map(item => ({
    payout_item_id: `I${item.sender_item_id}`,
    transaction_id: `T${item.sender_item_id}`,
    transaction_status: 'SUCCESS',
    payout_item: item,
  })),
})
