import type { Db } from '../../db/database.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { slugFrom } from '../../kit/slug.ts'
import { randomBase62 } from '../../kit/tokens.ts'
import { takenTokens } from './affiliate.store.ts'

/** A token that people can read and type: from the name, then numbered, then with a random end. */
const MOST_NUMBERED = 9
const SHORTEST = 3

/** The tokens to try for a name, in order; none for a name without enough letters of the Latin alphabet. */
export function tokensFromName(name: string): string[] {
  // The end is cut to leave space for a number or a random end within the 64 characters of a token.
  const base = slugFrom(name, '').slice(0, 48).replace(/-+$/, '')
  if (base.length < SHORTEST) return []
  const numbered = Array.from({ length: MOST_NUMBERED - 1 }, (_, index) => `${base}-${index + 2}`)
  return [base, ...numbered, `${base}-${randomBase62(8)}`]
}

/**
 * Runs an insert with the first token made from the name that is available, or with none, which generates one. Concurrent
 * inserts can choose the same one: the unique constraint refuses the second, which then takes the next.
 */
export async function withTokenFromName<Result>(
  db: Db,
  accountId: number,
  name: string,
  insert: (token: string | undefined) => Promise<Result>,
): Promise<Result> {
  const tokens = tokensFromName(name)
  const taken = tokens.length > 0 ? await takenTokens(db, accountId, tokens) : new Set<string>()
  for (const token of tokens.filter(each => !taken.has(each)))
    try {
      return await insert(token)
    } catch (error) {
      if (!isTokenTaken(error)) throw error
    }
  return insert(undefined)
}

const isTokenTaken = (error: unknown) =>
  error instanceof DomainError && error.code === 'conflict' && error.message.startsWith('token ')
