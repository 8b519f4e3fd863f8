import { lookup as resolve } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent, errors, request } from 'undici'
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
const TLS_ERROR = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/

function stageOf(error: unknown, reached: 'response' | 'body'): FailureStage {
  if (error instanceof DestinationRefused) return 'destination'
  if (error instanceof errors.ConnectTimeoutError) return 'connect'
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA') return 'dns'
  if (TLS_ERROR.test(code) || HANDSHAKE_CUT.test((error as Error).message)) return 'tls'
  if (['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES'].includes(code))
    return 'connect'
  return reached
}

/** Sends webhooks: bounded in time and size, never along a redirect, never to an address that is not allowed. */
export class Sender {
  readonly #agents: Record<Scheme, Agent>
  readonly #policy: DestinationPolicy
  readonly #timeoutMs: number

  constructor(policy: DestinationPolicy, timeoutMs = ATTEMPT_TIMEOUT_MS) {
    this.#policy = policy
    this.#timeoutMs = timeoutMs
    const agent = (scheme: Scheme) =>
      new Agent({
        // Shorter than the attempt, so that the log can tell a host that does not answer from one that answers slowly.
        connect: { lookup: checkedLookup(scheme, policy), timeout: 0.8 * timeoutMs },
        // The signal below bounds the whole attempt; these would only bound parts of it.
        headersTimeout: 0,
        bodyTimeout: 0,
      })
    this.#agents = { 'http:': agent('http:'), 'https:': agent('https:') }
  }

  async send(url: string, headers: Record<string, string>, body: string): Promise<AttemptOutcome> {
    const started = performance.now()
    const deadline = new AbortController()
    const timer = setTimeout(
      () => deadline.abort(new Error(`no complete answer within ${this.#timeoutMs / 1000} s`)),
      this.#timeoutMs,
    )
    const outcome = { status: undefined as number | undefined, response: undefined as Buffer | undefined }
    let retryAfter: string | undefined
    let failure: AttemptOutcome['failure']
    try {
      const dispatcher = this.#agentFor(url)
      const answer = await request(url, {
        method: 'POST',
        headers,
        body,
        dispatcher,
        signal: deadline.signal,
      })
      outcome.status = answer.statusCode
      retryAfter = [answer.headers['retry-after']].flat()[0]
      const chunks: Buffer[] = []
      // What has come is kept, also of an answer that never ends.
      await collect(answer.body, chunks).finally(() => {
        outcome.response = Buffer.concat(chunks)
      })
      if (answer.statusCode !== 200)
        failure = { stage: 'status', message: `HTTP ${answer.statusCode}, and only 200 counts` }
    } catch (error) {
      const cause = deadline.signal.aborted ? deadline.signal.reason : error
      const stage = stageOf(cause, outcome.status === undefined ? 'response' : 'body')
      failure = { stage, message: cause instanceof Error ? cause.message : String(cause) }
    } finally {
      clearTimeout(timer)
    }
    return { ...outcome, failure, retryAfter, durationMs: Math.round(performance.now() - started) }
  }

  /** The rules may have changed since the endpoint was made; and an address in the URL itself is never looked up. */
  #agentFor(url: string): Agent {
    const refusal = refusalOf(url, this.#policy)
    if (refusal) throw new DestinationRefused(`the URL ${refusal}`)
    return this.#agents[new URL(url).protocol as Scheme]
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#agents).map(agent => agent.destroy()))
  }
}

/** Reads as much of an answer as is kept, as it came over the wire, and hangs up on the rest. */
async function collect(body: AsyncIterable<Buffer>, chunks: Buffer[]): Promise<void> {
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, LARGEST_ANSWER_BYTES - size))
    size += chunk.length
    // Leaving the loop destroys the stream.
    if (size >= LARGEST_ANSWER_BYTES) break
  }
}
