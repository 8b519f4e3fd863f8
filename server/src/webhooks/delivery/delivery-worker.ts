import { setTimeout as sleep } from 'node:timers/promises'
import { memo } from '../../kit/memory.ts'
import { claimDeliveries } from './claim-deliveries.store.ts'
import type { AttemptResult, ClaimedDelivery } from './delivery.ts'
import type { DeliveryWorkerOptions } from './delivery-worker-options.ts'
import { recordResults } from './record-results.ts'
import { requestHeaders } from './request-headers.ts'
import { parseRetryAfter, retryDelayMs } from './retry-schedule.ts'

/** Most of these slots wait for a receiver, which costs a socket and little else. */
const TOTAL_UNDER_WAY = 512
/** Endpoints that keep failing share these, so that however many there are, those that answer have the rest. */
const FAILING_UNDER_WAY = TOTAL_UNDER_WAY / 2
const MOST_PER_ENDPOINT = 16
/** What a receiver gets at once before it has answered: were it to hang, it would hold up little. */
const PER_NEW_ENDPOINT = 2
const PER_FAILING_ENDPOINT = 1
/** How many receivers to remember; the one that was heard of longest ago is forgotten first. */
const MOST_KNOWN = 10_000

/** The net under LISTEN/NOTIFY, and what finds retries that have come due. */
const POLL_EVERY_MS = 250
/** Under load each commit wakes us, and a claim costs as much for one delivery as for a hundred. */
const CLAIM_EVERY_MS = 10
/** Results are written together; waiting this long for company costs less than a transaction for each. */
const RECORD_AFTER_MS = 5
const RETRY_CLAIM_AFTER_MS = 1000

const keyOf = ({ account_id, id }: ClaimedDelivery) => `${account_id} ${id}`

/** Claims due deliveries, sends them, records what came of it, and goes on until it is stopped. */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions
  readonly #known = new Map<number, { most: number; underWay: number }>()
  readonly #work = new Set<Promise<void>>()
  /** Opened ones by their sealed form, which a new secret or another account never shares. */
  readonly #secrets = memo<string>(1000)
  /** Claimed and not recorded yet, by account and delivery: were a lease to run out meanwhile, it is not sent once more from here. */
  readonly #inHand = new Set<string>()
  /** How many attempts each account has under way; none is not noted. */
  readonly #accounts = new Map<number, number>()
  #attemptsUnderWay = 0
  #failingUnderWay = 0
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

  /** Something may be due. Cheap to call: while a claim is under way, it only asks for one more. */
  wake(): void {
    this.#woken = true
    if (!this.#stopped && !this.#claiming) this.#keep(this.#claimWhileWoken())
  }

  /** Lets the attempts under way end and records them. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#poll)
    while (this.#work.size > 0) await Promise.all(this.#work)
  }

  /** Remembers work under way, so that `stop` can wait for it. None of it rejects: each handles its own errors. */
  #keep(work: Promise<void>): void {
    this.#work.add(work)
    void work.then(() => this.#work.delete(work))
  }

  async #claimWhileWoken(): Promise<void> {
    this.#claiming = true
    while (this.#woken && !this.#stopped) {
      await sleep(this.#claimedAt + CLAIM_EVERY_MS - performance.now())
      this.#claimedAt = performance.now()
      this.#woken = false
      const free = TOTAL_UNDER_WAY - this.#attemptsUnderWay
      // The next result wakes us again.
      if (free <= 0) break
      try {
        const claimed = await claimDeliveries(this.#options.db, this.#options.clock, {
          free,
          freeForFailing: FAILING_UNDER_WAY - this.#failingUnderWay,
          perNewEndpoint: PER_NEW_ENDPOINT,
          perFailingEndpoint: PER_FAILING_ENDPOINT,
          known: this.#known,
          accounts: this.#accounts,
        })
        for (const delivery of claimed) if (this.#take(delivery)) this.#keep(this.#carryOut(delivery))
      } catch (error) {
        this.#options.log.warn({ err: error }, 'deliveries could not be claimed; trying again')
        await sleep(RETRY_CLAIM_AFTER_MS)
      }
    }
    this.#claiming = false
  }

  /**
   * Takes a delivery in hand; false where it is already. The lease tells workers apart, and it runs by the database's clock, which may
   * jump, and while recording may take longer than it lasts; what this worker itself has sent it knows better.
   */
  #take(delivery: ClaimedDelivery): boolean {
    const key = keyOf(delivery)
    if (this.#inHand.has(key)) return false
    this.#inHand.add(key)
    return true
  }

  /** Counts an attempt in, or out again. */
  #count({ account_id, is_failing }: ClaimedDelivery, by: 1 | -1): void {
    this.#attemptsUnderWay += by
    if (is_failing) this.#failingUnderWay += by
    const ofAccount = (this.#accounts.get(account_id) ?? 0) + by
    if (ofAccount === 0) this.#accounts.delete(account_id)
    else this.#accounts.set(account_id, ofAccount)
  }

  async #carryOut(delivery: ClaimedDelivery): Promise<void> {
    const { endpoint_id } = delivery
    const endpoint = this.#known.get(endpoint_id) ?? { most: PER_NEW_ENDPOINT, underWay: 0 }
    this.#known.set(endpoint_id, endpoint)
    endpoint.underWay++
    this.#count(delivery, 1)
    try {
      const result = await this.#attempt(delivery)
      this.#finished.push(result)
      endpoint.most = result.outcome.failure
        ? PER_NEW_ENDPOINT
        : Math.min(MOST_PER_ENDPOINT, endpoint.most * 2)
    } catch (error) {
      // A fault of ours, such as a secret that cannot be opened. The lease runs out and it is tried again.
      this.#options.log.error({ err: error, delivery_id: delivery.id }, 'a delivery could not be attempted')
      this.#inHand.delete(keyOf(delivery))
    }
    endpoint.underWay--
    this.#count(delivery, -1)
    this.#forgetSome()
    if (!this.#recording) await this.#record()
  }

  #forgetSome(): void {
    for (const [id, { underWay }] of this.#known) {
      if (this.#known.size <= MOST_KNOWN) return
      if (underWay === 0) this.#known.delete(id)
    }
  }

  async #attempt(delivery: ClaimedDelivery): Promise<AttemptResult> {
    const { sender, clock } = this.#options
    const { body, attempts } = delivery
    const secret = this.#secretOf(delivery)
    // One moment for the log and the signature: the log can then tell what was signed.
    const startedAtMs = Date.now() + clock.offsetMs
    const headers = requestHeaders(delivery, { number: attempts + 1, startedAtMs }, secret)
    const outcome = await sender.send(delivery.url, headers, body)
    const wishMs = parseRetryAfter(outcome.retryAfter, Date.now() + clock.offsetMs)
    const delayMs = retryDelayMs(attempts + 1, wishMs)
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
      // Their places are free: what comes next is claimed while these are being recorded.
      this.wake()
      try {
        await recordResults(this.#options, batch)
      } catch (error) {
        // Their lease runs out and they are sent again: at least once, never lost.
        // Only the message: PostgreSQL quotes the row that it refused, and with it the receiver's answer.
        const message = error instanceof Error ? error.message : String(error)
        this.#options.log.warn({ error: message, deliveries: batch.length }, 'attempts could not be recorded')
      }
      for (const { delivery } of batch) this.#inHand.delete(keyOf(delivery))
    }
    this.#recording = false
  }
}
