/** A delivery that this worker has claimed, with everything that an attempt needs. */
export interface ClaimedDelivery {
  account_id: number
  id: number
  endpoint_id: number
  event_id: number
  event_kind: string
  is_test: boolean
  body: string
  attempts: number
  url: string
  sealed_secret: Buffer
  /** Whether its endpoint has only failed of late. */
  is_failing: boolean
}

/** Where an attempt failed. */
export type FailureStage = 'destination' | 'dns' | 'connect' | 'tls' | 'response' | 'body' | 'status'

export interface AttemptOutcome {
  durationMs: number
  /** The HTTP status; undefined where no answer came. */
  status: number | undefined
  /** The first 16 KiB of the answer. */
  response: Buffer | undefined
  /** Undefined when the receiver took the event: HTTP 200 and nothing else. */
  failure: { stage: FailureStage; message: string } | undefined
  /** The receiver's own wish, as it wrote it. */
  retryAfter: string | undefined
}

/** What becomes of a delivery after an attempt. */
export interface AttemptResult {
  delivery: ClaimedDelivery
  outcome: AttemptOutcome
  startedAtMs: number
  next: { status: 'delivered' } | { status: 'failed' } | { status: 'pending'; delayMs: number }
}
