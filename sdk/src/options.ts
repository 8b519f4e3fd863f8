export interface CallOptions {
  /** Aborts the call and its retries; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Timeout of each attempt, from connecting to the last byte of the response. */
  timeoutMs?: number | undefined
  /** How often a call is retried after its first attempt. */
  maxRetries?: number | undefined
}

export interface WriteOptions extends CallOptions {
  /** Your own key instead of a random one, so that the write happens once even across restarts of your program. */
  idempotencyKey?: string | undefined
}

export interface TributaryOptions {
  /** `trib_…` */
  apiKey: string
  /** The URL of your service, such as `https://partners.example.com`. */
  baseUrl: string
  /** Timeout of each attempt. Defaults to 30,000. */
  timeoutMs?: number | undefined
  /** How often a call is retried after its first attempt. Defaults to 3. */
  maxRetries?: number | undefined
  /** Used instead of the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}
