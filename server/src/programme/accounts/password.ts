import { availableParallelism } from 'node:os'
import { type Rank, RankedTurns } from '../../kit/ranked-turns.ts'

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** At most half of the cores, and fewer than Node's thread pool has, so that a flood of sign-ins leaves room for other work. */
export const MOST_AT_ONCE = Math.max(1, Math.min(3, Math.floor(availableParallelism() / 2)))
/** About four seconds of hashing on one core. */
export const MOST_WAITING = 100
export const hashing = new RankedTurns(MOST_AT_ONCE, MOST_WAITING)

/** Loaded on first use: most commands hash no password. */
export const argon2 = () => import('@node-rs/argon2')

/** Without a rank, for a user authenticated otherwise, such as by a link. */
export const hashPassword = (password: string, rank: Rank = 'known') =>
  hashing.take(rank, async () => (await argon2()).hash(password, cost))
export const verifyPassword = (hashed: string, password: string, rank: Rank = 'known') =>
  hashing.take(rank, async () => (await argon2()).verify(hashed, password))
