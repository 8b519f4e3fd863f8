/** A delivery that this worker has claimed, with everything an attempt needs. */
export interface ClaimedDelivery {
  account_id: number
  id: number
  endpoint_id: number
  event_id: number
  event_kind: string
  is_test: boolean
  body: string
  attempts: number
  /** Until when it is claimed; no other claim of it ends at the same moment. */
  leased_until: string
  url: string
  sealed_secret: Buffer
  /** Whether every recent attempt to its endpoint has failed. */
  is_failing: boolean
  /** Whether that has been so for so long that another failure disables it. */
  is_failing_for_long: boolean
}

/** Where an attempt failed. */
export type FailureStage = 'destination' | 'dns' | 'connect' | 'tls' | 'response' | 'body' | 'status'

export interface AttemptOutcome {
  durationMs: number
  /** The HTTP status; undefined without a response. */
  status: number | undefined
  /** The first 16 KiB of the response. */
  response: Buffer | undefined
  /** Undefined if the delivery succeeded: only HTTP 200 counts. */
  failure: { stage: FailureStage; message: string } | undefined
  /** The `Retry-After` header of the response. */
  retryAfter: string | undefined
}

/** An attempt and the delivery's next status. */
export interface AttemptResult {
  /** Without a lease if it was never claimed. */
  delivery: Omit<ClaimedDelivery, 'leased_until' | 'is_failing_for_long'> & { leased_until: string | null }
  outcome: AttemptOutcome
  startedAtMs: number
  /** Whether it may disable its endpoint, and cancel a long queue. */
  mayDisable: boolean
  next: { status: 'delivered' } | { status: 'failed' } | { status: 'pending'; delayMs: number }
}
