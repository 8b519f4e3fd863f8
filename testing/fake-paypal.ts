import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FakeBank, type Reply } from './fake-paypal-bank.ts'

export type Operation = 'token' | 'submit' | 'poll' | 'item' | 'cancel'

/** A raw request, before it is processed. */
export interface Asked {
  operation: Operation
  authorization: string
  path: string
  body: string
}

/** What a fault controls: it may process the request or not, and respond in any way or not at all. */
export interface Exchange {
  handle(): Reply
  send(status: number, body: unknown): void
  reset(): void
  response: ServerResponse
}
export type Fault = (exchange: Exchange) => unknown

const HTML = '<!doctype html><title>Sorry</title><p>Something went wrong on our end.'

/** Everything that can go wrong with a call. `after` means that the request was processed before it failed. */
export const faults = {
  resetBefore: ({ reset }: Exchange) => reset(),
  resetAfter: ({ handle, reset }: Exchange) => {
    handle()
    reset()
  },
  hangBefore: () => undefined,
  hangAfter: ({ handle }: Exchange) => void handle(),
  /** Sends the headers at once, then the body a byte at a time, forever. */
  dripAfter: ({ handle, response }: Exchange) => {
    handle()
    response.writeHead(201, { 'content-type': 'application/json' }).write('{')
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  },
  htmlInsteadBefore: (status: number) => (exchange: Exchange) => exchange.send(status, HTML),
  htmlInsteadAfter:
    (status: number) =>
    ({ handle, send }: Exchange) => {
      handle()
      send(status, HTML)
    },
  answerBefore:
    (status: number, body: unknown = { name: 'INTERNAL_ERROR', message: 'An internal error occurred' }) =>
    ({ send }: Exchange) =>
      send(status, body),
  answerAfter:
    (status: number, body: unknown = { name: 'INTERNAL_ERROR', message: 'An internal error occurred' }) =>
    ({ handle, send }: Exchange) => {
      handle()
      send(status, body)
    },
}

/** The faults that only the caller's timeout ends. */
export const silent: ReadonlySet<Fault> = new Set([faults.hangBefore, faults.hangAfter, faults.dripAfter])

/** A fault that blocks the caller until it is released, and then behaves like another one. */
export function held(then: Fault): { fault: Fault; arrived: Promise<void>; letGo(): void } {
  const gates = new EventEmitter()
  const [arrived, open] = [once(gates, 'arrived'), once(gates, 'open')]
  const fault: Fault = async exchange => {
    gates.emit('arrived')
    await open
    return then(exchange)
  }
  return { fault, arrived: arrived.then(() => undefined), letGo: () => gates.emit('open') }
}

const routes: [Operation, RegExp][] = [
  ['token', /^POST \/v1\/oauth2\/token$/],
  ['submit', /^POST \/v1\/payments\/payouts$/],
  ['poll', /^GET \/v1\/payments\/payouts\/([^/?]+)\?(.*)$/],
  ['item', /^GET \/v1\/payments\/payouts-item\/([^/?]+)$/],
  ['cancel', /^POST \/v1\/payments\/payouts-item\/([^/?]+)\/cancel$/],
]

/** PayPal's Payouts API v1 on loopback, with the sandbox's response formats and injectable faults. */
export class FakePayPal {
  readonly asked: Asked[] = []
  readonly bank: FakeBank
  /** The PayPal accounts, each with its own money and batches. */
  readonly #banks: FakeBank[]
  readonly #faults = new Map<Operation, Fault[]>()
  #server: Server
  #port = 0

  private constructor() {
    this.#server = this.#create()
    this.bank = new FakeBank(() => this.url)
    this.#banks = [this.bank]
  }

  /** Another PayPal account, which knows nothing of the first one's batches. */
  openAccount(clientId: string, clientSecret: string): FakeBank {
    const bank = new FakeBank(() => this.url)
    bank.clients.clear()
    bank.clients.set(clientId, clientSecret)
    this.#banks.push(bank)
    return bank
  }

  static async start(): Promise<FakePayPal> {
    const fake = new FakePayPal()
    await fake.accept()
    return fake
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Injects these faults into the next calls of this kind, one each; later calls succeed. */
  next(operation: Operation, ...list: Fault[]): void {
    this.#faults.set(operation, [...(this.#faults.get(operation) ?? []), ...list])
  }

  count(operation: Operation): number {
    return this.asked.filter(asked => asked.operation === operation).length
  }

  /** Stops listening: connections are refused. */
  async refuse(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  /** Listens, on the same port as before. */
  async accept(): Promise<void> {
    this.#server = this.#create()
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  #create(): Server {
    const server = createServer((request, response) => {
      // A request that is cut off is ignored.
      this.#answer(request, response).catch(() => response.destroy())
    })
    server.on('connection', socket => socket.on('error', () => undefined))
    return server
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const line = `${request.method} ${request.url}`
    const [operation, pattern] = routes.find(([, route]) => route.test(line)) ?? []
    const send = (status: number, content: unknown) => {
      const isText = typeof content === 'string'
      response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json' })
      response.end(isText ? content : JSON.stringify(content))
    }
    if (!operation || !pattern) return send(404, { name: 'RESOURCE_NOT_FOUND', message: line })
    const authorization = request.headers.authorization ?? ''
    this.asked.push({ operation, authorization, path: request.url ?? '', body })
    const handle = () => this.#handle(operation, pattern.exec(line) ?? [], authorization, body)
    const fault: Fault = this.#faults.get(operation)?.shift() ?? (exchange => answerWell(exchange))
    await fault({ handle, send, response, reset: () => request.socket.resetAndDestroy() })
  }

  #signIn(authorization: string, body: string): Reply {
    const answers = this.#banks.map(bank => bank.signIn(authorization, body))
    return answers.find(({ status }) => status === 200) ?? (answers[0] as Reply)
  }

  #handle(
    operation: Operation,
    [, id = '', query = '']: string[],
    authorization: string,
    body: string,
  ): Reply {
    if (operation === 'token') return this.#signIn(authorization, body)
    const bank = this.#banks.find(each => each.knows(authorization))
    if (!bank)
      return { status: 401, body: { error: 'invalid_token', error_description: 'The token has expired' } }
    bank.calls++
    if (operation === 'submit') return bank.submit(JSON.parse(body))
    if (operation === 'poll') return bank.page(decodeURIComponent(id), new URLSearchParams(query))
    return operation === 'item' ? bank.item(decodeURIComponent(id)) : bank.cancel(decodeURIComponent(id))
  }
}

const answerWell = ({ handle, send }: Exchange) => {
  const { status, body } = handle()
  send(status, body)
}
