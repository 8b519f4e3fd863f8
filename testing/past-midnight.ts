import { setTimeout } from 'node:timers/promises'

const DAY_MS = 86_400_000
/** Longer than a file of tests takes on a slow machine. */
const ENOUGH_MS = 180_000

/** For tests whose days are those of the moment: they start after midnight in UTC rather than shortly before. */
export async function pastMidnight(now = Date.now()): Promise<void> {
  const leftMs = DAY_MS - (now % DAY_MS)
  if (leftMs < ENOUGH_MS) await setTimeout(leftMs)
}
