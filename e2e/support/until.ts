import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 20
/** How long a slow machine may take over what another does at once. How quick something is, benchmarks and the chaos run measure. */
const PATIENCE_MS = 120_000

/** Asks until the answer is neither undefined nor false, and fails loudly when it never is. */
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

/** The same for what says by itself what it asks. */
export const soon = <T>(ask: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> =>
  until(String(ask), ask)
