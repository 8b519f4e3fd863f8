import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeCall {
  method: string
  path: string
  query: URLSearchParams
  /** The form that was sent. */
  form: URLSearchParams
}
export interface FakeResponse {
  status: number
  body: unknown
}
/** Answers the calls it knows. */
export type FakeHandler = (call: FakeCall) => FakeResponse | undefined

export const rejected = (message: string, status = 400): FakeResponse => ({
  status,
  body: { error: { type: 'invalid_request_error', message } },
})

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

/** Stripe's API as far as it is called: lists, newest first, in pages, with a key; and what handlers add. */
export class FakeStripe {
  readonly lists = {
    '/v1/checkout/sessions': [] as Listed[],
    '/v1/invoices': [] as Listed[],
    '/v1/refunds': [] as Listed[],
    '/v1/charges': [] as Listed[],
    '/v1/disputes': [] as Listed[],
    '/v1/events': [] as Listed[],
  }
  /** How many calls it answered. */
  calls = 0
  key: string
  /** What happens to the next changes: a status without any effect, or `lost`, which takes effect but is never answered. */
  readonly faults: (number | 'lost')[] = []
  readonly #server: Server
  /** Stripe's answer to each idempotency key. */
  readonly #answered = new Map<string, FakeResponse>()
  readonly #handlers: FakeHandler[]

  constructor(key: string, ...handlers: FakeHandler[]) {
    this.key = key
    this.#handlers = handlers
    this.#server = createServer(async (request, response) => {
      this.calls += 1
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stripe')
      const form = new URLSearchParams(await textOf(request))
      const method = request.method ?? 'GET'
      const fault = method === 'POST' ? this.faults.shift() : undefined
      const { status, body } =
        typeof fault === 'number'
          ? { status: fault, body: { error: { type: 'api_error', message: `Fault ${fault}` } } }
          : this.#answer(request, { method, path: pathname, query: searchParams, form })
      if (fault === 'lost') return request.socket.destroy()
      // Stripe's library would repeat the call at once otherwise.
      const headers = { 'content-type': 'application/json', 'stripe-should-retry': 'false' }
      return response.writeHead(status, headers).end(JSON.stringify(body))
    })
  }

  #answer(request: IncomingMessage, call: FakeCall): FakeResponse {
    if (request.headers.authorization !== `Bearer ${this.key}`)
      return rejected('Invalid API Key provided', 401)
    // What it answers has the shapes of this version.
    if (request.headers['stripe-version'] !== '2026-10-28.endive') return rejected('Unexpected API version')
    const idempotency = request.headers['idempotency-key']
    const known = typeof idempotency === 'string' ? this.#answered.get(idempotency) : undefined
    if (known) return known
    const answer = this.#handled(call) ?? this.#list(call)
    if (call.method === 'POST' && typeof idempotency === 'string') this.#answered.set(idempotency, answer)
    return answer
  }

  /** What Stripe does with idempotency keys after a day. */
  forgetKeys(): void {
    this.#answered.clear()
  }

  #handled(call: FakeCall): FakeResponse | undefined {
    for (const handler of this.#handlers) {
      const answer = handler(call)
      if (answer) return answer
    }
    return undefined
  }

  #list({ path, query }: FakeCall): FakeResponse {
    const all = this.lists[path as keyof typeof this.lists]
    if (!all) return rejected('Unrecognized request URL', 404)
    const since = Number(query.get('created[gte]') ?? 0)
    const types = [...query].filter(([name]) => name.startsWith('types[')).map(([, type]) => type)
    if (types.length > 20) return rejected('Too many types')
    const payment = query.get('payment_intent')
    const newest = all
      .filter(({ created, type = '' }) => created >= since && (types.length === 0 || types.includes(type)))
      .filter(({ payment_intent }) => payment === null || payment_intent === payment)
      .sort((a, b) => b.created - a.created)
    const after = newest.findIndex(({ id }) => id === query.get('starting_after')) + 1
    // Smaller pages than asked for, so that few objects take several.
    const data = newest.slice(after, after + 2)
    return {
      status: 200,
      body: { object: 'list', url: path, data, has_more: newest.length > after + 2 },
    }
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

interface Listed {
  id: string
  created: number
  /** Of an event. */
  type?: string
  /** Of a charge. */
  payment_intent?: string
}
