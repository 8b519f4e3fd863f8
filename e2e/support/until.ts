import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 20

/** Asks until the answer is neither undefined nor false, and fails loudly when it never is. */
export async function until<T>(
  what: string,
  timeoutMs: number,
  ask: () => T | Promise<T>,
): Promise<Exclude<T, undefined | false>> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`)
    await sleep(POLL_MS)
  }
}
