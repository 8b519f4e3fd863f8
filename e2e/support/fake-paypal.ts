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

/** As much of PayPal as a payout meets on a good day: it signs in, hands a batch over, and asks until every item is paid. */
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
      const id = `B${this.batches.size + 1}`
      this.batches.set(id, (await json(request)) as Batch)
      return [201, { batch_header: { payout_batch_id: id, batch_status: 'PENDING' } }]
    }
    const id = pathname.replace('/v1/payments/payouts/', '')
    const batch = this.batches.get(id)
    return batch ? [200, paid(id, batch)] : [404, { name: 'RESOURCE_NOT_FOUND' }]
  }
}

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
