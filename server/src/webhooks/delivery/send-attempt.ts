import { lookup as resolve } from 'node:dns'
import type { IncomingHttpHeaders } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import { memo } from '../../kit/memory.ts'
import type { AttemptOutcome, FailureStage } from './delivery.ts'
import { type DestinationPolicy, mayConnect, refusalOf, type Scheme } from './destination.ts'

const ATTEMPT_TIMEOUT_MS = 10_000
const LARGEST_ANSWER_BYTES = 16 * 1024

class DestinationRefused extends Error {
  override readonly name = 'DestinationRefused'
}

/** Resolves a name and keeps only addresses that may be connected to; the socket connects to what was checked here. */
const checkedLookup =
  (scheme: Scheme, policy: DestinationPolicy): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      const allowed = addresses.filter(({ address }) => mayConnect(address, policy, scheme))
      const [first] = allowed
      if (!first)
        return callback(
          new DestinationRefused(`${hostname} resolves to no address that webhooks may go to`),
          [],
        )
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }

/** What Node says, without a code, when the other side hangs up in the middle of the handshake. */
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
  if (error instanceof DestinationRefused) return 'destination'
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

/** Sends webhooks: bounded in time and size, never along a redirect, never to an address that is not allowed. */
export class Sender {
  /** Made for the first webhook. */
  #agents: Promise<Record<Scheme, Agent>> | undefined
  readonly #policy: DestinationPolicy
  readonly #timeoutMs: number
  readonly #targets = memo<Target>(1000)

  constructor(policy: DestinationPolicy, timeoutMs = ATTEMPT_TIMEOUT_MS) {
    this.#policy = policy
    this.#timeoutMs = timeoutMs
  }

  async #openAgents(): Promise<Record<Scheme, Agent>> {
    // Loading it takes a tenth of a start, and the first webhook comes later.
    const { Agent } = await import('undici')
    const agent = (scheme: Scheme) =>
      new Agent({
        // Shorter than the attempt, so that the log can tell a host that does not answer from one that answers slowly.
        connect: { lookup: checkedLookup(scheme, this.#policy), timeout: 0.8 * this.#timeoutMs },
        // The attempt itself is bounded; these would only bound parts of it.
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

  /** The rules may have changed since the endpoint was made; and an address in the URL itself is never looked up. */
  #targetOf(url: string): Target {
    const refusal = refusalOf(url, this.#policy)
    if (refusal) throw new DestinationRefused(`the URL ${refusal}`)
    const { protocol, origin, pathname, search } = new URL(url)
    return { scheme: protocol as Scheme, origin, path: pathname + search }
  }

  async close(): Promise<void> {
    const agents = Object.values((await this.#agents) ?? {})
    await Promise.all(agents.map(agent => agent.destroy()))
  }
}

/** One request and what came of it. It ends once: with the answer, at its deadline, or when as much has come as is kept. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #started = performance.now()
  readonly #end: (outcome: AttemptOutcome) => void
  readonly #deadline: NodeJS.Timeout
  readonly #chunks: Buffer[] = []
  #size = 0
  #status: number | undefined
  #retryAfter: string | undefined
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false

  constructor(timeoutMs: number, end: (outcome: AttemptOutcome) => void) {
    this.#end = end
    this.#deadline = setTimeout(
      () => this.fail(new Error(`no complete answer within ${timeoutMs / 1000} s`)),
      timeoutMs,
    )
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Its time ran out while it waited for a connection: it is not sent any more.
    if (this.#isOver) controller.abort(new Error('the attempt is over'))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Some say first that they are still at it.
    if (statusCode < 200) return
    this.#status = statusCode
    this.#retryAfter = [headers['retry-after']].flat()[0]
  }

  /** Keeps as much of an answer as may be kept, as it came over the wire, and hangs up on the rest. */
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    this.#chunks.push(chunk.subarray(0, LARGEST_ANSWER_BYTES - this.#size))
    this.#size += chunk.length
    if (this.#size >= LARGEST_ANSWER_BYTES) this.onResponseEnd()
  }

  onResponseEnd(): void {
    this.#finish(
      this.#status === 200
        ? undefined
        : { stage: 'status', message: `HTTP ${this.#status}, and only 200 counts` },
    )
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error)
  }

  fail(error: unknown): void {
    const stage = stageOf(error, this.#reached())
    this.#finish({ stage, message: error instanceof Error ? error.message : String(error) })
  }

  /** How far it came. Its own deadline and the connection's are the same, and either may be first. */
  #reached(): 'connect' | 'response' | 'body' {
    if (!this.#controller) return 'connect'
    return this.#status === undefined ? 'response' : 'body'
  }

  #finish(failure: AttemptOutcome['failure']): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#deadline)
    this.#end({
      status: this.#status,
      // What has come is kept, also of an answer that never ends.
      response: this.#status === undefined ? undefined : Buffer.concat(this.#chunks),
      failure,
      retryAfter: this.#retryAfter,
      durationMs: Math.round(performance.now() - this.#started),
    })
    // Nothing happens where all has come; otherwise the connection is closed.
    this.#controller?.abort(new Error('the attempt is over'))
  }
}
