import { setTimeout as sleep } from 'node:timers/promises'
import { memo } from '../../kit/cache.ts'
import { claimDeliveries } from './claim-deliveries.store.ts'
import type { AttemptResult, ClaimedDelivery } from './delivery.ts'
import type { DeliveryWorkerOptions } from './delivery-worker-options.ts'
import { recordResults } from './record-results.ts'
import { requestHeaders } from './request-headers.ts'
import { parseRetryAfter, retryDelayMs } from './retry-schedule.ts'

/** Most slots are waiting for a response, which costs little more than a socket. */
const MAX_IN_FLIGHT = 512
/** Failing endpoints share these slots; healthy ones always have the rest. */
const MAX_FAILING_IN_FLIGHT = MAX_IN_FLIGHT / 2
const MAX_PER_ENDPOINT = 16
/** The concurrency of an endpoint before its first response, so that one that hangs ties up few slots. */
const PER_NEW_ENDPOINT = 2
const PER_FAILING_ENDPOINT = 1
/** How many endpoints to keep a record of; the oldest is evicted first. */
const MAX_KNOWN = 10_000

/** A fallback for LISTEN/NOTIFY, and what finds retries that have become due. */
const POLL_EVERY_MS = 250
/** Under load every commit wakes the worker, and a claim costs as much for one delivery as for a hundred. */
const CLAIM_EVERY_MS = 10
/** Results are recorded in batches; this delay costs less than a transaction for each. */
const RECORD_AFTER_MS = 5
const RETRY_CLAIM_AFTER_MS = 1000

const keyOf = ({ account_id, id }: ClaimedDelivery) => `${account_id} ${id}`

/** Claims due deliveries, sends them and records the results, until it is stopped. */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions
  readonly #known = new Map<number, { limit: number; inFlight: number }>()
  readonly #work = new Set<Promise<void>>()
  /** Decrypted secrets by ciphertext, which is different for every secret and account. */
  readonly #secrets = memo<string>(1000)
  /** Deliveries claimed and not recorded yet: if a lease expires in the meantime, this worker does not send it twice. */
  readonly #claimed = new Set<string>()
  /** The latest claim. What is recorded while it runs may still be among its results. */
  #claim: Promise<ClaimedDelivery[]> = Promise.resolve([])
  /** Attempts in flight by account; accounts without any are left out. */
  readonly #accounts = new Map<number, number>()
  #attemptsInFlight = 0
  #failingInFlight = 0
  #finished: AttemptResult[] = []
  #recording = false
  #claiming = false
  #claimedAt = 0
  #woken = false
  #stopped = false
  readonly #poll: NodeJS.Timeout

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options
    this.#poll = setInterval(() => this.wake(), POLL_EVERY_MS)
    this.wake()
  }

  /** Something may be due. Cheap to call: while a claim is running, it only requests another one. */
  wake(): void {
    this.#woken = true
    if (!this.#stopped && !this.#claiming) this.#track(this.#claimWhileWoken())
  }

  /** Waits for the attempts in flight and records them. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#poll)
    while (this.#work.size > 0) await Promise.all(this.#work)
  }

  /** Tracks running work, so that `stop` can wait for it. None of it rejects: each handles its own errors. */
  #track(work: Promise<void>): void {
    this.#work.add(work)
    void work.then(() => this.#work.delete(work))
  }

  async #claimWhileWoken(): Promise<void> {
    this.#claiming = true
    while (this.#woken && !this.#stopped) {
      await sleep(Math.max(0, this.#claimedAt + CLAIM_EVERY_MS - performance.now()))
      this.#claimedAt = performance.now()
      this.#woken = false
      const free = MAX_IN_FLIGHT - this.#attemptsInFlight
      // The next result wakes us again.
      if (free <= 0) break
      try {
        this.#claim = claimDeliveries(this.#options.db, this.#options.clock, {
          free,
          freeForFailing: MAX_FAILING_IN_FLIGHT - this.#failingInFlight,
          perNewEndpoint: PER_NEW_ENDPOINT,
          perFailingEndpoint: PER_FAILING_ENDPOINT,
          known: this.#known,
          accounts: this.#accounts,
        })
        for (const delivery of await this.#claim)
          if (this.#keep(delivery)) this.#track(this.#process(delivery))
      } catch (error) {
        this.#options.log.warn({ err: error }, 'failed to claim deliveries; retrying')
        await sleep(RETRY_CLAIM_AFTER_MS)
      }
    }
    this.#claiming = false
  }

  /**
   * False if this worker has already claimed the delivery. The lease separates workers, but it can expire too early: the database's clock
   * may jump, and recording may take longer than it lasts.
   */
  #keep(delivery: ClaimedDelivery): boolean {
    const key = keyOf(delivery)
    if (this.#claimed.has(key)) return false
    this.#claimed.add(key)
    return true
  }

  /** Forgets deliveries once no running claim can return them from before they were recorded. */
  #forget(deliveries: ClaimedDelivery[]): void {
    const forget = () => {
      for (const delivery of deliveries) this.#claimed.delete(keyOf(delivery))
    }
    this.#claim.then(forget, forget)
  }

  /** Adds or removes an attempt in flight. */
  #count({ account_id, is_failing }: ClaimedDelivery, by: 1 | -1): void {
    this.#attemptsInFlight += by
    if (is_failing) this.#failingInFlight += by
    const ofAccount = (this.#accounts.get(account_id) ?? 0) + by
    if (ofAccount === 0) this.#accounts.delete(account_id)
    else this.#accounts.set(account_id, ofAccount)
  }

  async #process(delivery: ClaimedDelivery): Promise<void> {
    const { endpoint_id } = delivery
    const endpoint = this.#known.get(endpoint_id) ?? { limit: PER_NEW_ENDPOINT, inFlight: 0 }
    this.#known.set(endpoint_id, endpoint)
    endpoint.inFlight++
    this.#count(delivery, 1)
    try {
      const result = await this.#attempt(delivery)
      this.#finished.push(result)
      endpoint.limit = result.outcome.failure
        ? PER_NEW_ENDPOINT
        : Math.min(MAX_PER_ENDPOINT, endpoint.limit * 2)
    } catch (error) {
      // An internal error, such as a secret that can't be decrypted. It is retried when the lease expires.
      this.#options.log.error({ err: error, delivery_id: delivery.id }, 'failed to attempt a delivery')
      this.#forget([delivery])
    }
    endpoint.inFlight--
    this.#count(delivery, -1)
    this.#evictKnown()
    if (!this.#recording) await this.#record()
  }

  #evictKnown(): void {
    for (const [id, { inFlight }] of this.#known) {
      if (this.#known.size <= MAX_KNOWN) return
      if (inFlight === 0) this.#known.delete(id)
    }
  }

  async #attempt(delivery: ClaimedDelivery): Promise<AttemptResult> {
    const { sender, clock } = this.#options
    const { body, attempts } = delivery
    const secret = this.#secretOf(delivery)
    // The log and the signature share one timestamp, so that the signed request can be reconstructed.
    const startedAtMs = Date.now() + clock.offsetMs
    const headers = requestHeaders(delivery, { number: attempts + 1, startedAtMs }, secret)
    const outcome = await sender.send(delivery.url, headers, body)
    const retryAfterMs = parseRetryAfter(outcome.retryAfter, Date.now() + clock.offsetMs)
    const delayMs = retryDelayMs(attempts + 1, retryAfterMs)
    const next = !outcome.failure
      ? { status: 'delivered' as const }
      : delayMs === undefined || outcome.status === 410
        ? { status: 'failed' as const }
        : { status: 'pending' as const, delayMs }
    return { delivery, outcome, startedAtMs, next }
  }

  #secretOf({ account_id, sealed_secret }: ClaimedDelivery): string {
    const { secrets } = this.#options
    return this.#secrets(sealed_secret.toString('latin1'), () =>
      secrets.open('webhook secret', account_id, sealed_secret),
    )
  }

  async #record(): Promise<void> {
    this.#recording = true
    while (this.#finished.length > 0) {
      await sleep(RECORD_AFTER_MS)
      const batch = this.#finished
      this.#finished = []
      // Their slots are free: the next deliveries are claimed while these are recorded.
      this.wake()
      try {
        await recordResults(this.#options, batch)
      } catch (error) {
        // They are sent again when their lease expires: at least once, never lost.
        // Only the message is logged: PostgreSQL's error details quote the rejected row, which contains the response.
        const message = error instanceof Error ? error.message : String(error)
        this.#options.log.warn(
          { error: message, deliveries: batch.length },
          'failed to record delivery attempts',
        )
      }
      this.#forget(batch.map(({ delivery }) => delivery))
    }
    this.#recording = false
  }
}
