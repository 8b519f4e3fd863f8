import { type Call, Tributary, TributaryError } from '@tributary/sdk'

/** An SDK client with one key, without retries, because a test needs the first response. */
export const api = (url: string, key: string): Tributary =>
  new Tributary({ apiKey: key, baseUrl: url, maxRetries: 0 })

/** The HTTP status of a call, whether it succeeded or not. */
export const statusOf = (call: Call<unknown>): Promise<number> =>
  call.withResponse().then(
    ({ status }) => status,
    error => {
      if (error instanceof TributaryError && error.status !== undefined) return error.status
      throw error
    },
  )
