import { setTimeout as sleep } from 'node:timers/promises'
import { memo } from '../../kit/cache.ts'
import { claimDeliveries } from './claim-deliveries.store.ts'
import type { AttemptResult, ClaimedDelivery } from './delivery.ts'
import { releaseDeliveries } from './delivery-queue.store.ts'
import type { DeliveryWorkerOptions } from './delivery-worker-options.ts'
import { AT_ONCE_IF_NEW, EndpointLane } from './endpoint-lane.ts'
import { requestHeaders } from './request-headers.ts'
import { ResultRecorder } from './result-recorder.ts'
import { parseRetryAfter, retryDelayMs } from './retry-schedule.ts'

/** Deliveries claimed at a time. Most are waiting for a response, which costs little more than a socket. */
const MAX_IN_FLIGHT = 512
/** Failing endpoints share these slots; healthy ones always have the rest. */
const MAX_FAILING_IN_FLIGHT = MAX_IN_FLIGHT / 2
const PER_FAILING_ENDPOINT = 1
/** How many endpoints to keep a record of; the oldest is evicted first. */
const MAX_KNOWN = 10_000

/** A fallback for LISTEN/NOTIFY, and what finds retries that have become due. */
const POLL_EVERY_MS = 250
/** Under load every commit wakes the worker, and a claim costs as much for one delivery as for a hundred. */
const CLAIM_EVERY_MS = 10
const RETRY_CLAIM_AFTER_MS = 1000

const keyOf = ({ account_id, id }: AttemptResult['delivery']) => `${account_id} ${id}`

/** Claims due deliveries, sends them and records the results, until it is stopped. */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions
  readonly #recorder: ResultRecorder
  readonly #known = new Map<number, EndpointLane>()
  readonly #work = new Set<Promise<void>>()
  /** Decrypted secrets by ciphertext, which is different for every secret and account. */
  readonly #secrets = memo<string>(1000)
  /** Deliveries claimed and not recorded yet: if a lease expires in the meantime, this worker does not send it twice. */
  readonly #claimed = new Map<string, ClaimedDelivery>()
  /** The latest claim. What is recorded while it runs may still be among its results. */
  #claim: Promise<ClaimedDelivery[]> = Promise.resolve([])
  /** Deliveries in flight by account; accounts without any are left out. */
  readonly #accounts = new Map<number, number>()
  /** Endpoints deleted or disabled since the latest claim was sent: it may still return deliveries of theirs. */
  readonly #canceled = new Set<number>()
  #inFlight = 0
  #failingInFlight = 0
  #claiming = false
  #claimedAt = 0
  #woken = false
  #stopped = false
  readonly #poll: NodeJS.Timeout

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options
    this.#recorder = new ResultRecorder(options, {
      // Their slots are free: the next deliveries are claimed while these are recorded.
      batch: () => this.wake(),
      delayed: results => this.#delay(results, 1),
      settled: results => this.#delay(results, -1),
      ended: results => this.#forget(results.map(({ delivery }) => delivery)),
    })
    this.#poll = setInterval(() => {
      this.#advance(this.#known.values())
      this.wake()
    }, POLL_EVERY_MS)
    this.wake()
  }

  /** Something may be due. Cheap to call: while a claim is running, it only requests another one. */
  wake(): void {
    this.#woken = true
    if (!this.#stopped && !this.#claiming) this.#track(this.#claimWhileWoken())
  }

  /** Something may be due, or an endpoint was deleted or disabled, whose id it is: what is claimed ahead for it is not sent. */
  notified(payload: string): void {
    if (payload !== '') {
      const endpointId = Number(payload)
      this.#canceled.add(endpointId)
      this.#drop(endpointId)
    }
    this.wake()
  }

  /** Gives back what has not been sent, waits for the attempts in flight and records them. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#poll)
    this.#advance(this.#known.values())
    while (this.#work.size > 0) await Promise.all(this.#work)
    await this.#recorder.idle()
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
      if (this.#stopped) break
      this.#claimedAt = performance.now()
      this.#woken = false
      const free = MAX_IN_FLIGHT - this.#inFlight
      // The next result wakes us again.
      if (free <= 0) break
      try {
        this.#canceled.clear()
        this.#claim = claimDeliveries(this.#options.db, this.#options.clock, {
          free,
          freeForFailing: MAX_FAILING_IN_FLIGHT - this.#failingInFlight,
          perNewEndpoint: AT_ONCE_IF_NEW,
          perFailingEndpoint: PER_FAILING_ENDPOINT,
          known: this.#known,
          accounts: this.#accounts,
        })
        const claimed = (await this.#claim).filter(delivery => this.#keep(delivery))
        this.#accept(claimed, this.#claimedAt)
      } catch (error) {
        this.#options.log.warn({ err: error }, 'failed to claim deliveries; retrying')
        await sleep(RETRY_CLAIM_AFTER_MS)
      }
    }
    this.#claiming = false
  }

  /**
   * False if this worker has already claimed the delivery. The lease separates workers, but it can expire too early: the database's clock
   * may jump, and recording may take longer than it lasts. The new lease is taken over, so that its result still counts.
   */
  #keep(delivery: ClaimedDelivery): boolean {
    const key = keyOf(delivery)
    const claimed = this.#claimed.get(key)
    if (claimed) claimed.leased_until = delivery.leased_until
    else this.#claimed.set(key, delivery)
    return !claimed
  }

  /** Forgets deliveries once no running claim can return them from before they were recorded. */
  #forget(deliveries: AttemptResult['delivery'][]): void {
    const forget = () => {
      for (const delivery of deliveries) this.#claimed.delete(keyOf(delivery))
    }
    this.#claim.then(forget, forget)
  }

  /** Adds or removes a delivery in flight. */
  #count({ account_id, is_failing }: ClaimedDelivery, by: 1 | -1): void {
    this.#inFlight += by
    if (is_failing) this.#failingInFlight += by
    const ofAccount = (this.#accounts.get(account_id) ?? 0) + by
    if (ofAccount === 0) this.#accounts.delete(account_id)
    else this.#accounts.set(account_id, ofAccount)
  }

  #laneOf(endpointId: number): EndpointLane {
    const lane = this.#known.get(endpointId) ?? new EndpointLane()
    this.#known.set(endpointId, lane)
    return lane
  }

  /** Counts results that wait to be recorded as in flight for their endpoints: it gets nothing more that could not be recorded either. */
  #delay(results: AttemptResult[], by: 1 | -1): void {
    for (const { delivery } of results) this.#laneOf(delivery.endpoint_id).unrecorded += by
  }

  /** What has room is sent, however long the claim took: otherwise slow claims would deliver nothing. */
  #accept(deliveries: ClaimedDelivery[], since: number): void {
    const lanes = new Set(deliveries.map(({ endpoint_id }) => this.#laneOf(endpoint_id)))
    this.#advance(lanes)
    for (const delivery of deliveries) {
      this.#laneOf(delivery.endpoint_id).add(delivery, since)
      this.#count(delivery, 1)
    }
    for (const endpointId of this.#canceled) this.#drop(endpointId)
    if (!this.#stopped) for (const lane of lanes) this.#send(lane)
    this.#advance(lanes)
  }

  #send(lane: EndpointLane): void {
    for (const delivery of lane.take()) this.#track(this.#process(delivery, lane))
  }

  /** Sends what has room, and gives back what has waited for too long; all that waits if this worker is stopping or the endpoint fails. */
  #advance(lanes: Iterable<EndpointLane>, isFailing = false): void {
    const givenUp: ClaimedDelivery[] = []
    for (const lane of lanes) {
      givenUp.push(...lane.giveUp(this.#stopped || isFailing))
      this.#send(lane)
    }
    if (givenUp.length > 0) this.#track(this.#giveBack(givenUp))
  }

  /** Gives back what waits for an endpoint. */
  #drop(endpointId: number): void {
    const waiting = this.#known.get(endpointId)?.giveUp(true) ?? []
    if (waiting.length > 0) this.#track(this.#giveBack(waiting))
  }

  /** Another worker can claim them at once, and so can this one. */
  async #giveBack(deliveries: ClaimedDelivery[]): Promise<void> {
    for (const delivery of deliveries) {
      this.#claimed.delete(keyOf(delivery))
      this.#count(delivery, -1)
    }
    try {
      await releaseDeliveries(this.#options.db, deliveries)
    } catch (error) {
      const details = { err: error, deliveries: deliveries.length }
      this.#options.log.warn(
        details,
        'failed to give deliveries back; they are sent when their lease expires',
      )
    }
  }

  async #process(delivery: ClaimedDelivery, lane: EndpointLane): Promise<void> {
    let result: AttemptResult | undefined
    try {
      result = await this.#attempt(delivery)
      this.#recorder.add(result)
    } catch (error) {
      // An internal error, such as a secret that can't be decrypted. It is retried when the lease expires.
      this.#options.log.error({ err: error, delivery_id: delivery.id }, 'failed to attempt a delivery')
      this.#forget([delivery])
    }
    lane.ended(result?.outcome)
    this.#count(delivery, -1)
    this.#advance([lane], result?.outcome.failure !== undefined)
    this.#evictKnown()
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
    const mayDisable =
      outcome.status === 410 || (outcome.failure !== undefined && delivery.is_failing_for_long)
    return { delivery, outcome, startedAtMs, mayDisable, next }
  }

  #secretOf({ account_id, sealed_secret }: ClaimedDelivery): string {
    const { secrets } = this.#options
    return this.#secrets(sealed_secret.toString('latin1'), () =>
      secrets.open('webhook secret', account_id, sealed_secret),
    )
  }
}
