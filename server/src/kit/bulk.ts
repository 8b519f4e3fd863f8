import type { BulkResult } from '@tributary/contract/dashboard'
import { DomainError } from './domain-error.ts'

/**
 * Carries out a decision on each row by itself: one that is refused is told of and holds up no other. Lowest id first, so that
 * two people who decide about the same rows at once take turns instead of blocking each other.
 */
export async function decideEach(
  ids: number[],
  decide: (id: number) => Promise<unknown>,
): Promise<BulkResult> {
  const result: BulkResult = { done: 0, refused: [] }
  for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
    try {
      await decide(id)
      result.done++
    } catch (error) {
      // A refusal has left no trace of its own row; any other failure ends the whole of it.
      if (!(error instanceof DomainError)) throw error
      result.refused.push({ id, message: error.message })
    }
  }
  return result
}
