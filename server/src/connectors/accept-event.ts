import type { Db } from '../db/database.ts'
import { isReportable } from '../earning/occurred-at.ts'
import { ttlCache } from '../kit/cache.ts'
import { DomainError, notFound } from '../kit/domain-error.ts'
import { assertPlainShape } from '../kit/json-shape.ts'
import type { SecretBox } from '../kit/secret-box.ts'
import { findReceiver } from './connector.store.ts'
import { EventTurns } from './event-turns.ts'
import { EventWriter } from './event-writer.ts'
import type { Refusal } from './provider.ts'
import { providerOf } from './providers.ts'

interface OpenReceiver {
  accountId: number
  provider: string
  secret: string
  mapping: Record<string, unknown>
}

/** A removed connector accepts events for at most this long. */
const LIFETIME_MS = 1000
const MOST_RECEIVERS = 10_000

/** An order of a shop has up to a hundred values in each of its lines. */
const MOST_VALUES = 100_000

const problems: Record<Refusal, string> = {
  signature: 'The signature is missing or does not match the body.',
  stale: 'The signature is too old, or the clocks differ by more than five minutes.',
  malformed: 'The body is not an event of this provider.',
  unknown_type: 'The provider has no events of this type. Select only the types that the connector lists.',
}

/** A request that is not accepted: nothing of it is stored. */
export class RefusedEvent extends DomainError {
  readonly reason: Refusal

  constructor(reason: Refusal) {
    super('bad_request', problems[reason])
    this.reason = reason
  }
}

export interface Delivery {
  provider: string
  connectorId: number
  headers: Record<string, string | string[] | undefined>
  rawBody: Buffer
  /** Fires when the client leaves. */
  signal: AbortSignal
}

/** Accepts billing events: verified over the raw body, stored once, processed later. */
export class Inbox {
  readonly #db: Db
  readonly #secrets: SecretBox
  readonly #writer: EventWriter
  readonly #turns: EventTurns
  readonly #receivers = ttlCache<OpenReceiver>(LIFETIME_MS, MOST_RECEIVERS)

  /** `hasOthers` says whether the process has other requests, which go before a burst of events. */
  constructor(db: Db, secrets: SecretBox, hasOthers: () => boolean) {
    this.#db = db
    this.#secrets = secrets
    this.#writer = new EventWriter(db)
    this.#turns = new EventTurns(hasOthers)
  }

  async #receiver(id: number): Promise<OpenReceiver | undefined> {
    const found = await findReceiver(this.#db, id)
    if (!found?.sealed_secret) return undefined
    const { account_id: accountId, provider, sealed_secret, mapping } = found
    const secret = this.#secrets.open('connector secret', accountId, sealed_secret)
    return { accountId, provider, secret, mapping }
  }

  /** Whether a URL names a connector; checked before the body is read. */
  async find(provider: string, id: number): Promise<OpenReceiver> {
    const receiver = await this.#receivers(String(id), () => this.#receiver(id))
    if (receiver?.provider !== provider) throw notFound('connector')
    return receiver
  }

  /** Returns whether the event is new. */
  accept(delivery: Delivery): Promise<{ isNew: boolean }> {
    const { connectorId, rawBody, signal } = delivery
    return this.#turns.take({ connectorId, bytes: rawBody.length, signal }, () => this.#accept(delivery))
  }

  async #accept({ provider: name, connectorId, headers, rawBody }: Delivery): Promise<{ isNew: boolean }> {
    assertPlainShape(rawBody, MOST_VALUES)
    const { accountId, secret, mapping } = await this.find(name, connectorId)
    const provider = await providerOf(name)
    if (!provider) throw notFound('connector')
    const verified = await provider.verify(headers, rawBody, secret, Date.now(), mapping)
    if ('isPing' in verified) return { isNew: false }
    if ('refused' in verified) throw new RefusedEvent(verified.refused)
    const { event } = verified
    if (!isStorable(event.id) || !isStorable(event.type) || !isReportable(new Date(event.occurredAt)))
      throw new RefusedEvent('malformed')
    if (provider.hasType && !provider.hasType(event.type)) throw new RefusedEvent('unknown_type')
    const text = rawBody.toString('utf8')
    // PostgreSQL stores no NUL; no provider sends one.
    if (text.includes('\0')) throw new RefusedEvent('malformed')
    const { id, type, occurredAt } = event
    const stored = { accountId, connectorId, event: { id, type, occurredAt }, body: text }
    return { isNew: await this.#writer.write(stored) }
  }
}

const LONGEST_ID = 255
const isStorable = (text: string) => text.length >= 1 && text.length <= LONGEST_ID && !text.includes('\0')
