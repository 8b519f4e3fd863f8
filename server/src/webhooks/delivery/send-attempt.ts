import { lookup as resolve } from 'node:dns'
import type { IncomingHttpHeaders } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import { memo } from '../../kit/cache.ts'
import type { AttemptOutcome, FailureStage } from './delivery.ts'
import { type DestinationPolicy, mayConnect, type Scheme, urlProblem } from './destination.ts'

const ATTEMPT_TIMEOUT_MS = 10_000
const MAX_RESPONSE_BYTES = 16 * 1024

/** Shown nowhere. Created once, because collecting a stack trace took a twentieth of the time of a delivery. */
const ENDED = new Error('the attempt has ended')

class DestinationNotAllowed extends Error {
  override readonly name = 'DestinationNotAllowed'
}

/** Resolves a name to its allowed addresses only; the socket connects to an address that was checked here. */
const checkedLookup =
  (scheme: Scheme, policy: DestinationPolicy): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      const allowed = addresses.filter(({ address }) => mayConnect(address, policy, scheme))
      const [first] = allowed
      if (!first)
        return callback(
          new DestinationNotAllowed(
            `${hostname} does not resolve to an address that webhooks may be sent to`,
          ),
          [],
        )
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }

/** Node's message when the peer disconnects during the handshake; the error has no code. */
const HANDSHAKE_CUT = /before secure TLS connection/
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EACCES',
  'UND_ERR_CONNECT_TIMEOUT',
])
const TLS_ERROR = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/

function stageOf(error: unknown, reached: FailureStage): FailureStage {
  if (error instanceof DestinationNotAllowed) return 'destination'
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA') return 'dns'
  if (TLS_ERROR.test(code) || HANDSHAKE_CUT.test((error as Error).message)) return 'tls'
  if (NOT_CONNECTED.has(code)) return 'connect'
  return reached
}

interface Target {
  scheme: Scheme
  origin: string
  path: string
}

/** Sends webhooks, with limits on time and response size. Redirects are not followed, and only allowed addresses are connected to. */
export class Sender {
  /** Created for the first webhook. */
  #agents: Promise<Record<Scheme, Agent>> | undefined
  readonly #policy: DestinationPolicy
  readonly #timeoutMs: number
  readonly #targets = memo<Target>(1000)

  constructor(policy: DestinationPolicy, timeoutMs = ATTEMPT_TIMEOUT_MS) {
    this.#policy = policy
    this.#timeoutMs = timeoutMs
  }

  async #openAgents(): Promise<Record<Scheme, Agent>> {
    // Imported lazily: loading undici takes a tenth of the startup time.
    const { Agent } = await import('undici')
    const agent = (scheme: Scheme) =>
      new Agent({
        // Shorter than the attempt's timeout, so that the log distinguishes an unreachable host from a slow one.
        connect: { lookup: checkedLookup(scheme, this.#policy), timeout: 0.8 * this.#timeoutMs },
        // The attempt has its own timeout, which covers these.
        headersTimeout: 0,
        bodyTimeout: 0,
      })
    return { 'http:': agent('http:'), 'https:': agent('https:') }
  }

  async send(url: string, headers: Record<string, string>, body: string): Promise<AttemptOutcome> {
    this.#agents ??= this.#openAgents()
    const agents = await this.#agents
    return new Promise(resolve => {
      const attempt = new Attempt(this.#timeoutMs, resolve)
      try {
        const { scheme, origin, path } = this.#targets(url, () => this.#targetOf(url))
        agents[scheme].dispatch({ origin, path, method: 'POST', headers, body }, attempt)
      } catch (error) {
        attempt.fail(error)
      }
    })
  }

  /** Checked again: the policy may have changed since the endpoint was created, and a literal address skips the lookup. */
  #targetOf(url: string): Target {
    const problem = urlProblem(url, this.#policy)
    if (problem) throw new DestinationNotAllowed(`the URL ${problem}`)
    const { protocol, origin, pathname, search } = new URL(url)
    return { scheme: protocol as Scheme, origin, path: pathname + search }
  }

  async close(): Promise<void> {
    const agents = Object.values((await this.#agents) ?? {})
    await Promise.all(agents.map(agent => agent.destroy()))
  }
}

/** One request. It ends exactly once: with the complete response, at its deadline, or at the response size limit. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #started = performance.now()
  readonly #end: (outcome: AttemptOutcome) => void
  readonly #deadline: NodeJS.Timeout
  readonly #chunks: Buffer[] = []
  #size = 0
  #status: number | undefined
  #retryAfter: string | undefined
  #controller: Dispatcher.DispatchController | undefined
  #hasEnded = false

  constructor(timeoutMs: number, end: (outcome: AttemptOutcome) => void) {
    this.#end = end
    this.#deadline = setTimeout(
      () => this.fail(new Error(`no complete response within ${timeoutMs / 1000} s`)),
      timeoutMs,
    )
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It timed out while waiting for a connection, so it is not sent.
    if (this.#hasEnded) controller.abort(ENDED)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Skip informational responses.
    if (statusCode < 200) return
    this.#status = statusCode
    const retryAfter = headers['retry-after'] as string | string[] | undefined
    this.#retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter
  }

  /** Keeps the raw response up to the limit, then disconnects. */
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded) return
    this.#chunks.push(chunk.subarray(0, MAX_RESPONSE_BYTES - this.#size))
    this.#size += chunk.length
    if (this.#size >= MAX_RESPONSE_BYTES) this.onResponseEnd()
  }

  onResponseEnd(): void {
    this.#finish(
      this.#status === 200 ? undefined : { stage: 'status', message: `HTTP ${this.#status}; expected 200` },
    )
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error)
  }

  fail(error: unknown): void {
    const stage = stageOf(error, this.#reached())
    this.#finish({ stage, message: error instanceof Error ? error.message : String(error) })
  }

  /** The stage reached so far. The attempt's deadline and the connection's are close, and either may fire first. */
  #reached(): 'connect' | 'response' | 'body' {
    if (!this.#controller) return 'connect'
    return this.#status === undefined ? 'response' : 'body'
  }

  #finish(failure: AttemptOutcome['failure']): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#deadline)
    this.#end({
      status: this.#status,
      // A partial response is kept too.
      response: this.#status === undefined ? undefined : Buffer.concat(this.#chunks),
      failure,
      retryAfter: this.#retryAfter,
      durationMs: Math.round(performance.now() - this.#started),
    })
    // A no-op after a complete response; otherwise it closes the connection.
    this.#controller?.abort(ENDED)
  }
}
