import type { Registry } from 'prom-client'
import type { Guess } from '../http/authenticate/guess-limit.ts'

/** The figures of one process, as they can be sent. */
export type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** A count of guesses that all processes share. */
export interface CountOfGuesses {
  what: string
  allowed: number
  windowMs: number | undefined
  name: string
}

export type Question =
  | { about: 'figures of all' }
  | ({ about: 'guesses'; method: 'state' | 'begin' } & CountOfGuesses)

/** What a process says to the first one. */
export type FromMember =
  | { kind: 'serving' }
  | { kind: 'figures'; figures: Figures }
  | { kind: 'question'; id: number; question: Question }
  | ({ kind: 'forgive'; guess: Guess } & CountOfGuesses)

/** What the first process says to the others. */
export type ToMember =
  | { kind: 'tell figures' }
  | { kind: 'answer'; id: number; answer: unknown }
  /** With a time to let go, others go on serving: callers are led to them before the last connections are closed. */
  | { kind: 'stop'; letGoMs: number | undefined }
