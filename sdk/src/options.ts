export interface CallOptions {
  /** Ends the call, with all its retries; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** For each attempt, from the connection to the last byte of the answer. */
  timeoutMs?: number | undefined
  /** How often a call is tried again after its first attempt. */
  maxRetries?: number | undefined
}

export interface WriteOptions extends CallOptions {
  /** Your own key in place of a random one, so that the call is carried out once even across restarts of your program. */
  idempotencyKey?: string | undefined
}

export interface TributaryOptions {
  /** `trib_…` */
  apiKey: string
  /** The address of your service, such as `https://partners.example.com`. */
  baseUrl: string
  /** For each attempt; 30,000 where it is not given. */
  timeoutMs?: number | undefined
  /** How often a call is tried again after its first attempt; 3 where it is not given. */
  maxRetries?: number | undefined
  /** In place of the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}
