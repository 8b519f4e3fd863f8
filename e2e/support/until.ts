import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 20
/** The timeout on a slow machine. Speed itself is measured by benchmarks and the chaos run. */
const PATIENCE_MS = 120_000

/** Polls until the result is neither undefined nor false, and throws after the timeout. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<Exclude<T, undefined | false>> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>
    if (Date.now() > deadline) throw new Error(`Not within ${patienceMs} ms: ${what}`)
    await sleep(POLL_MS)
  }
}

/** The same, described by the function's own source. */
export const soon = <T>(ask: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> =>
  until(String(ask), ask)
