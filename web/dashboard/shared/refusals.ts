import { texts } from './en.ts'

/** Why rows of a selection can't take part in a decision: one sentence per reason, the most frequent first. */
export function refusalTexts(reasons: string[], noun: string): string[] {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([reason, number]) => texts.review.skipped(number, noun, reason))
}
