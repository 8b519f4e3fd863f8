import { createHash } from 'node:crypto'
import { Agent, type Dispatcher } from 'undici'
import { formatMinor } from '../../kit/money.ts'
import {
  describeError,
  type PayPalBatch,
  type PayPalItem,
  type PayPalResponse,
  readSubmitResponse,
  reportOf,
} from './paypal-responses.ts'
import { batchOutcomes } from './paypal-status.ts'
import type { BatchReport, ItemReport, Rail, RailBatch, SubmitResponse } from './rail.ts'

export interface PayPalCredentials {
  clientId: string
  clientSecret: string
}

/** The request never reached PayPal, so it cannot have paid anything. */
class NotSentError extends Error {}

/** No connection was made, or our client had already been closed. */
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
])

const TIMEOUT_MS = 60_000
const PAGE_ITEMS = 1000
/** Tokens are renewed this long before they expire, so that none expires during a call. */
const TOKEN_MARGIN_MS = 60_000

/** PayPal's Payouts API v1. A repeated `sender_batch_id` is declined with a link to the original batch. */
export class PayPalRail implements Rail {
  readonly account: string
  readonly #baseUrl: string
  readonly #credentials: PayPalCredentials
  readonly #agent: Agent
  readonly #timeoutMs: number
  #token: { text: string; expiresAt: number } | undefined

  constructor(baseUrl: string, credentials: PayPalCredentials, timeoutMs = TIMEOUT_MS) {
    this.#baseUrl = baseUrl
    this.#credentials = credentials
    this.#timeoutMs = timeoutMs
    this.#agent = new Agent({ connectTimeout: timeoutMs })
    // The client id without its secret, which may be rotated, and the base URL, because the sandbox has separate accounts.
    this.account = createHash('sha256')
      .update(JSON.stringify(['paypal', baseUrl, credentials.clientId]))
      .digest('hex')
  }

  async submit({ senderBatchId, items }: RailBatch): Promise<SubmitResponse> {
    const body = {
      sender_batch_header: { sender_batch_id: senderBatchId, recipient_type: 'EMAIL' },
      items: items.map(item => ({
        recipient_type: 'EMAIL',
        receiver: item.address,
        sender_item_id: String(item.id),
        amount: { value: formatMinor(item.amount_minor, item.currency), currency: item.currency },
      })),
    }
    let response: PayPalResponse
    try {
      response = await this.#call('POST', '/v1/payments/payouts', body)
    } catch (error) {
      const reason = `The PayPal request failed: ${(error as Error).message}`
      return { kind: error instanceof NotSentError ? 'busy' : 'unknown', reason }
    }
    return readSubmitResponse(
      response,
      items.map(({ id }) => id),
    )
  }

  async *poll(externalId: string): AsyncGenerator<ItemReport[], BatchReport | undefined> {
    const path = `/v1/payments/payouts/${encodeURIComponent(externalId)}`
    for (let page = 1; ; page++) {
      const query = `?page=${page}&page_size=${PAGE_ITEMS}&total_required=true`
      const { status, body } = await this.#call('GET', `${path}${query}`)
      if (status !== 200) throw new Error(`PayPal responded with HTTP ${status}${describeError(body)}`)
      const { batch_header: header, items = [], total_pages: pages = 1 } = body as PayPalBatch
      if (!header) throw new Error('PayPal responded with HTTP 200 but no batch')
      const outcome = batchOutcomes[header.batch_status]
      if (items.length > 0) yield items.map(item => reportOf(item, outcome))
      // A batch that is final as a whole may not list its items.
      if (items.length === 0 || page >= pages)
        return outcome && { outcome, reason: `PayPal says ${header.batch_status} of the whole batch` }
    }
  }

  async cancel(externalItemId: string): Promise<ItemReport> {
    const path = `/v1/payments/payouts-item/${encodeURIComponent(externalItemId)}`
    const canceled = await this.#call('POST', `${path}/cancel`, {})
    // Only an unclaimed item can be canceled; for any other, read its outcome instead.
    const { status, body } = canceled.status === 200 ? canceled : await this.#call('GET', path)
    if (status !== 200) throw new Error(`PayPal responded with HTTP ${status}${describeError(body)}`)
    const report = reportOf(body as PayPalItem, undefined)
    return canceled.status === 200 ? { ...report, outcome: 'canceled' } : report
  }

  /** Refuses new calls and lets those in flight finish: aborting them would leave their outcome unknown. */
  retire(): void {
    this.#agent.close().catch(() => undefined)
  }

  /** Aborts the calls in flight; they are retried later. */
  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  async #call(method: Dispatcher.HttpMethod, path: string, body?: unknown): Promise<PayPalResponse> {
    const first = await this.#callWith(await this.#accessToken(), method, path, body)
    if (first.status !== 401) return first
    // A token may be revoked early. An unauthorized request had no effect, so it is safe to retry.
    this.#token = undefined
    const second = await this.#callWith(await this.#accessToken(), method, path, body)
    if (second.status === 401) throw new NotSentError('PayPal rejected the access token it had issued')
    return second
  }

  async #callWith(
    token: string,
    method: Dispatcher.HttpMethod,
    path: string,
    body?: unknown,
  ): Promise<PayPalResponse> {
    return this.#request(method, path, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  async #accessToken(): Promise<string> {
    if (this.#token && this.#token.expiresAt > Date.now()) return this.#token.text
    const { clientId, clientSecret } = this.#credentials
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    let response: PayPalResponse
    try {
      response = await this.#request('POST', '/v1/oauth2/token', {
        headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'grant_type=client_credentials',
      })
    } catch (error) {
      throw new NotSentError((error as Error).message)
    }
    const { access_token: text, expires_in: seconds } = response.body as {
      access_token?: string
      expires_in?: number
    }
    if (response.status !== 200 || !text)
      throw new NotSentError(
        response.status === 401
          ? 'PayPal rejected the credentials'
          : `PayPal responded to the token request with HTTP ${response.status}`,
      )
    this.#token = { text, expiresAt: Date.now() + (seconds ?? 0) * 1000 - TOKEN_MARGIN_MS }
    return text
  }

  async #request(
    method: Dispatcher.HttpMethod,
    path: string,
    options: { headers: Record<string, string>; body?: string },
  ): Promise<PayPalResponse> {
    const url = new URL(this.#baseUrl + path)
    // Covers the body too: a response that trickles in must not outlast the submission's lease.
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
      // An empty body or a proxy's HTML page: only the status is usable.
      return { status: statusCode, body: {} }
    }
  }
}
