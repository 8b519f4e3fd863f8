import type { BulkResult } from '@tributary/contract/dashboard'
import { DomainError } from './domain-error.ts'

/**
 * Applies a decision to each row separately: a rejected row is reported and does not affect the others. In ascending order of id, so
 * that two users who decide about the same rows concurrently cannot deadlock.
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
      // A domain error has rolled back its own row only; any other error aborts the whole action.
      if (!(error instanceof DomainError)) throw error
      result.refused.push({ id, message: error.message })
    }
  }
  return result
}
