import type { Registry } from 'prom-client'
import type { Guess } from '../http/authenticate/guess-limit.ts'

/**
 * Kinds and fields are a protocol between versions: during a rolling restart an older primary runs newer members. Never rename one.
 */

/** The metrics of one process, in serializable form. */
export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** A guess counter that all processes share. */
export interface CountOfGuesses {
  what: string
  allowed: number
  windowMs: number | undefined
  name: string
}

export type MemberRequest =
  | { about: 'figures of all' }
  | ({ about: 'guesses'; method: 'state' | 'begin' } & CountOfGuesses)

/** Messages from a member to the primary. */
export type FromMember =
  | { kind: 'serving' }
  | { kind: 'figures'; figures: ProcessMetrics }
  | { kind: 'question'; id: number; question: MemberRequest }
  | ({ kind: 'forgive'; guess: Guess } & CountOfGuesses)

/** Messages from the primary to a member. */
export type ToMember =
  | { kind: 'tell figures' }
  | { kind: 'answer'; id: number; answer: unknown }
  /** With `letGoMs`, other members keep serving: clients are moved to them before the last connections are closed. */
  | { kind: 'stop'; letGoMs: number | undefined }
