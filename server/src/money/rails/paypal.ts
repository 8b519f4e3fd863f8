import { createHash } from 'node:crypto'
import { Agent, type Dispatcher } from 'undici'
import { formatMinor } from '../../kit/money.ts'
import {
  describeError,
  type PayPalAnswer,
  type PayPalBatch,
  type PayPalItem,
  readSubmitAnswer,
  reportOf,
} from './paypal-answers.ts'
import { batchStates } from './paypal-status.ts'
import type { ItemReport, Rail, RailBatch, RestReport, SubmitAnswer } from './rail.ts'

export interface PayPalCredentials {
  clientId: string
  clientSecret: string
}

/** Nothing was sent, so nothing can have been paid. */
class NotSentError extends Error {}

/** Nobody was there to take anything, or we had stopped calling ourselves. */
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
])

const TIMEOUT_MS = 60_000
const PAGE_ITEMS = 1000
/** Renewed well before it ends, so that no call meets its last second. */
const TOKEN_MARGIN_MS = 60_000

/** PayPal's Payouts API, version 1. A repeated `sender_batch_id` is refused with a link to the first batch. */
export class PayPalRail implements Rail {
  readonly account: string
  readonly #baseUrl: string
  readonly #credentials: PayPalCredentials
  readonly #agent: Agent
  readonly #timeoutMs: number
  #token: { text: string; endsAt: number } | undefined

  constructor(baseUrl: string, credentials: PayPalCredentials, timeoutMs = TIMEOUT_MS) {
    this.#baseUrl = baseUrl
    this.#credentials = credentials
    this.#timeoutMs = timeoutMs
    this.#agent = new Agent({ connectTimeout: timeoutMs })
    // Of the client and not its secret, which may be rotated; of the address, because the sandbox is another PayPal.
    this.account = createHash('sha256')
      .update(JSON.stringify(['paypal', baseUrl, credentials.clientId]))
      .digest('hex')
  }

  async submit({ senderBatchId, items }: RailBatch): Promise<SubmitAnswer> {
    const body = {
      sender_batch_header: { sender_batch_id: senderBatchId, recipient_type: 'EMAIL' },
      items: items.map(item => ({
        recipient_type: 'EMAIL',
        receiver: item.address,
        sender_item_id: String(item.id),
        amount: { value: formatMinor(item.amount_minor, item.currency), currency: item.currency },
      })),
    }
    let answer: PayPalAnswer
    try {
      answer = await this.#call('POST', '/v1/payments/payouts', body)
    } catch (error) {
      const reason = `PayPal could not be asked: ${(error as Error).message}`
      return { kind: error instanceof NotSentError ? 'busy' : 'unknown', reason }
    }
    return readSubmitAnswer(
      answer,
      items.map(({ id }) => id),
    )
  }

  async *poll(externalId: string): AsyncGenerator<ItemReport[], RestReport | undefined> {
    const path = `/v1/payments/payouts/${encodeURIComponent(externalId)}`
    for (let page = 1; ; page++) {
      const query = `?page=${page}&page_size=${PAGE_ITEMS}&total_required=true`
      const { status, body } = await this.#call('GET', `${path}${query}`)
      if (status !== 200) throw new Error(`PayPal answered HTTP ${status}${describeError(body)}`)
      const { batch_header: header, items = [], total_pages: pages = 1 } = body as PayPalBatch
      if (!header) throw new Error('PayPal answered HTTP 200 with something other than a batch')
      const whole = batchStates[header.batch_status]
      if (items.length > 0) yield items.map(item => reportOf(item, whole))
      // A batch that ended as a whole may not list its items at all.
      if (items.length === 0 || page >= pages)
        return whole && { state: whole, reason: `PayPal says ${header.batch_status} of the whole batch` }
    }
  }

  async cancel(externalItemId: string): Promise<ItemReport> {
    const path = `/v1/payments/payouts-item/${encodeURIComponent(externalItemId)}`
    const canceled = await this.#call('POST', `${path}/cancel`, {})
    // One that is not unclaimed any more cannot be cancelled; what became of it can still be read.
    const { status, body } = canceled.status === 200 ? canceled : await this.#call('GET', path)
    if (status !== 200) throw new Error(`PayPal answered HTTP ${status}${describeError(body)}`)
    const report = reportOf(body as PayPalItem, undefined)
    return canceled.status === 200 ? { ...report, state: 'canceled' } : report
  }

  /** Takes no more calls, and lets those under way end: their outcome would be unknown otherwise. */
  retire(): void {
    this.#agent.close().catch(() => undefined)
  }

  /** Breaks off what is under way; whatever was asked is asked again later. */
  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  async #call(method: Dispatcher.HttpMethod, path: string, body?: unknown): Promise<PayPalAnswer> {
    const first = await this.#callWith(await this.#accessToken(), method, path, body)
    if (first.status !== 401) return first
    // A token may end early. A request that was not let in has done nothing, so it may be made again.
    this.#token = undefined
    const second = await this.#callWith(await this.#accessToken(), method, path, body)
    if (second.status === 401) throw new NotSentError('it does not accept its own access token')
    return second
  }

  async #callWith(
    token: string,
    method: Dispatcher.HttpMethod,
    path: string,
    body?: unknown,
  ): Promise<PayPalAnswer> {
    return this.#request(method, path, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  async #accessToken(): Promise<string> {
    if (this.#token && this.#token.endsAt > Date.now()) return this.#token.text
    const { clientId, clientSecret } = this.#credentials
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    let answer: PayPalAnswer
    try {
      answer = await this.#request('POST', '/v1/oauth2/token', {
        headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'grant_type=client_credentials',
      })
    } catch (error) {
      throw new NotSentError((error as Error).message)
    }
    const { access_token: text, expires_in: seconds } = answer.body as {
      access_token?: string
      expires_in?: number
    }
    if (answer.status !== 200 || !text)
      throw new NotSentError(
        answer.status === 401
          ? 'it refuses the credentials'
          : `signing in was answered HTTP ${answer.status}`,
      )
    this.#token = { text, endsAt: Date.now() + (seconds ?? 0) * 1000 - TOKEN_MARGIN_MS }
    return text
  }

  async #request(
    method: Dispatcher.HttpMethod,
    path: string,
    options: { headers: Record<string, string>; body?: string },
  ): Promise<PayPalAnswer> {
    const url = new URL(this.#baseUrl + path)
    // For the whole call: an answer that drips in for ever must not outlive the lease of whoever waits for it.
    const signal = AbortSignal.timeout(this.#timeoutMs)
    const { statusCode, body } = await this.#agent
      .request({ origin: url.origin, path: url.pathname + url.search, method, signal, ...options })
      .catch(error => {
        throw neverConnected.has(error.code) ? new NotSentError(error.message) : error
      })
    const text = await body.text()
    try {
      return { status: statusCode, body: JSON.parse(text) ?? {} }
    } catch {
      // A proxy's page, or nothing: the status has to speak for itself.
      return { status: statusCode, body: {} }
    }
  }
}
