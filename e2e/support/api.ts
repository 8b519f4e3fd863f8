import { type Call, Tributary, TributaryError } from '@tributary/sdk'

/** The public API with one key, as other people's programs use it; but without retries, because a test wants the first answer. */
export const api = (url: string, key: string): Tributary =>
  new Tributary({ apiKey: key, baseUrl: url, maxRetries: 0 })

/** How a call was answered, whether it succeeded or was refused. */
export const statusOf = (call: Call<unknown>): Promise<number> =>
  call.withResponse().then(
    ({ status }) => status,
    error => {
      if (error instanceof TributaryError && error.status !== undefined) return error.status
      throw error
    },
  )
