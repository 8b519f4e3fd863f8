import { isConnectionTimeout } from './failures.ts'

const CONNECTION_ATTEMPTS = 3

/**
 * A request gives up on a connection soon, because its caller can retry. A start on a busy machine, such as after a reboot, would have to
 * be repeated, so it tries again.
 */
export async function patiently<T>(connect: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connect()
    } catch (error) {
      if (attempt === CONNECTION_ATTEMPTS || !isConnectionTimeout(error)) throw error
    }
  }
}
